/** The Node server without an S3 store: files in a folder, settings in `.env`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { spawnNode, untilListening, type StartedNode } from '../../runtime/start-node.ts'
import { SECRETS } from '../../support/sign-token.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { clientOf } from './node-client.ts'

let node: StartedNode | undefined

afterEach(() => node?.stop())

const linesOf = (vars: Record<string, string>) =>
  Object.entries(vars)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}\n`)
    .join('')

/** Nothing listens there. */
async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}

it('keeps files in the folder, and its own links open them', async () => {
  const folder = join(tempFolder(), 'files')
  node = await untilListening(await spawnNode({ ...SECRETS, STORAGE: 'folder', FOLDER: folder }))
  const { run } = clientOf(node)
  const { files_touched } = await run('io.open("output/a.txt", "w"):write("kept"):close()')
  const [{ url, link } = {}] = files_touched
  expect(url).toBe(link)
  expect(await (await fetch(link!)).text()).toBe('kept')
  expect(readFileSync(join(folder, 'acme/users/alice/output/a.txt'), 'utf8')).toBe('kept')
  expect(await run('return io.open("output/a.txt"):read("a")')).toMatchObject({ result: 'kept' })
  const ready = await fetch(`${node.origin}/health/ready`)
  expect(ready.status).toBe(200)
})

it('reads settings from .env, after those of the environment', async () => {
  const cwd = tempFolder()
  const vars = { ...SECRETS, STORAGE: 'folder', FOLDER: join(cwd, 'wrong') }
  writeFileSync(join(cwd, '.env'), linesOf(vars))
  node = await untilListening(await spawnNode({ FOLDER: join(cwd, 'right') }, cwd))
  const { run } = clientOf(node)
  await run('file.save("a.txt", "here")')
  expect(readFileSync(join(cwd, 'right/acme/users/alice/a.txt'), 'utf8')).toBe('here')
})

it('says at the start that the store cannot be reached, and why', async () => {
  node = await untilListening(
    await spawnNode({
      ...SECRETS,
      S3_BUCKET: 'files',
      S3_ENDPOINT: `http://127.0.0.1:${await closedPort()}`,
      S3_ACCESS_KEY_ID: 'id',
      S3_SECRET_ACCESS_KEY: 'secret',
    }),
  )
  const { events } = node
  await vi.waitFor(() => expect(events).toHaveLength(1), 10_000)
  expect(events[0]).toMatchObject({
    event: 'fault',
    where: 'start',
    hint: 'nothing listens at S3_ENDPOINT',
  })
})
