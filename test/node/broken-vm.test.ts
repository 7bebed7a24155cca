/** A script that breaks its VM, as a process of the command line and on a thread of the server. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createApp } from '../../src/app.ts'
import { parseConfig } from '../../src/config.ts'
import { nodeService } from '../../src/entry/node/service.ts'
import { ScriptPool } from '../../src/pool/script-pool.ts'
import type { LogEvent } from '../../src/operations/log-event.ts'
import { storeVars } from '../runtime/start-node.ts'
import { loadLua as loadDamagedLua } from '../support/damaged-lua.ts'
import { sharedS3 } from '../support/local-s3.ts'
import { LINK_SECRET, ORIGIN } from '../support/make-app.ts'
import { signToken, TEST_SECRET } from '../support/sign-token.ts'
import { CLI, removeFolder, ROOT, start, tempFolder, writeScript } from './cli/cli-process.ts'

const SCRIPT = 'print("one") io.open("a.txt", "w"):write("1"):close() os.difftime(1, 0)'
const MESSAGE = /^the script broke the VM \([a-z -]+\)$/

const undo: (() => unknown)[] = []

afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step()
})

describe('the command line', () => {
  it('prints the message, exits with 1 and keeps the files that were closed', async () => {
    const folder = tempFolder()
    undo.push(() => removeFolder(folder))
    const damaged = join(ROOT, 'test/support/use-damaged-lua.ts')
    const script = writeScript(folder, SCRIPT)
    const { child, ended } = start(folder, process.execPath, [
      '--import',
      damaged,
      CLI,
      'run',
      script,
    ])
    child.stdin.end()
    const { exitCode, stdout, stderr } = await ended
    const [log, last, ...rest] = stderr.split('\n')
    expect({ exitCode, stdout, log, rest }).toEqual({
      exitCode: 1,
      stdout: '',
      log: 'one',
      rest: [''],
    })
    expect(last?.replace('moonbucket: ', '')).toMatch(MESSAGE)
    expect(readFileSync(join(folder, 'moonbucket-files/a.txt'), 'utf8')).toBe('1')
  })
})

describe('a thread of the server', () => {
  it('answers, logs the fault and takes the next run', async () => {
    const s3 = await sharedS3()
    const config = parseConfig({
      ...storeVars(s3),
      STORAGE: 's3',
      AUTH_SECRET: TEST_SECRET,
      LINK_SECRET,
    })
    const lua = await loadDamagedLua()
    const events: LogEvent[] = []
    const log = (event: LogEvent) => void events.push(event)
    const runner = new URL('../../src/entry/node-runner.ts', import.meta.url)
    const pool = new ScriptPool({ runner, data: { config, lua }, log, maxThreads: 1 })
    undo.push(() => pool.close())
    const service = { ...nodeService(config, lua, log), executeElsewhere: pool.execute }
    const app = createApp({ service })
    const token = await signToken({ tenant: 'acme', sub: 'alice' })
    const post = (script: string) =>
      app.request(`${ORIGIN}/execute`, {
        method: 'POST',
        body: JSON.stringify({ script }),
        headers: { Authorization: `Bearer ${token}` },
      })

    const response = await post(SCRIPT)
    expect([response.status, await response.json()]).toEqual([
      200,
      {
        result: null,
        logs: ['one'],
        files_touched: [expect.objectContaining({ name: 'a.txt', op: 'write', bytes: 1 })],
        error: { kind: 'runtime', message: expect.stringMatching(MESSAGE) },
      },
    ])
    const script_sha256 = expect.stringMatching(/^[0-9a-f]{64}$/)
    expect(events).toMatchObject([
      { event: 'fault', where: 'vm', script_sha256 },
      { event: 'run', outcome: 'runtime', script_sha256 },
    ])
    const next = await post('return io.open("a.txt"):read("a")')
    expect(await next.json()).toMatchObject({ result: '1' })
  })
})
