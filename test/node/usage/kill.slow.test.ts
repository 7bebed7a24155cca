/** After a service was killed at any moment, what is counted is not below what is stored. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { folderStorage } from '../../../src/storage/folder/folder.ts'
import { makeApp } from '../../support/make-app.ts'
import { Random } from '../../support/random.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { storedFiles } from '../../usage/make-quota-app.ts'

const CHILD = fileURLToPath(new URL('writing-child.ts', import.meta.url))
const ROUNDS = Number(process.env.KILL_ROUNDS ?? 6)
const SEED = Number(process.env.KILL_SEED ?? Math.floor(Math.random() * 2 ** 31))
const QUOTA_BYTES = 1_000_000

it(`seed ${SEED}: never below, and never above the quota`, { timeout: 240_000 }, async () => {
  const random = new Random(SEED)
  const folder = tempFolder()
  const storage = folderStorage(folder)
  const app = await makeApp({ storage, env: { QUOTA_BYTES: String(QUOTA_BYTES) } })
  const { tenant } = app
  const above: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    await killAfter(folder, tenant, 1 + random.below(25), random.below(40))
    const stored = await storedFiles(storage, tenant)
    const usage = await (await app.send('/usage', {}, { tenant })).json()
    const { used } = (usage as { stored_bytes: { used: number } }).stored_bytes
    expect(used).toBeGreaterThanOrEqual(stored.bytes)
    expect(stored.bytes).toBeLessThanOrEqual(QUOTA_BYTES)
    above.push(used - stored.bytes)
  }
  console.info(`counted above what is stored, in bytes: ${above.join(', ')}`)
})

/** Kills it some time after this many runs have ended. */
async function killAfter(folder: string, tenant: string, runs: number, ms: number): Promise<void> {
  const args = [CHILD, folder, tenant, String(QUOTA_BYTES)]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  let ended = 0
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the service ended early, with ${code}`)))
    createInterface(child.stdout).on('line', () => ++ended >= runs && resolve())
  })
  await new Promise((resolve) => setTimeout(resolve, ms))
  child.kill('SIGKILL')
  await exited
}
