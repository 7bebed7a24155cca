/** A link revoked in one process ends in another within a minute of real time. */
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { spawnNode, untilListening, type StartedNode } from '../../runtime/start-node.ts'
import { SECRETS } from '../../support/sign-token.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { clientOf } from './node-client.ts'

const WITHIN_MS = 60_000

let nodes: StartedNode[] = []

afterEach(async () => {
  await Promise.all(nodes.map((node) => node.stop()))
})

it(
  'opens for less than a minute after its revocation elsewhere',
  { timeout: 120_000 },
  async () => {
    const vars = { ...SECRETS, STORAGE: 'folder', FOLDER: join(tempFolder(), 'files') }
    const start = async () => untilListening(await spawnNode(vars))
    nodes = await Promise.all([start(), start()])
    const [first, second] = nodes as [StartedNode, StartedNode]
    const { run, send } = clientOf(first)
    const { files_touched } = await run('file.save("a.txt", "x")')
    const { pathname, search } = new URL(files_touched[0]!.link!)
    const statusAt = async ({ origin }: StartedNode) => {
      const response = await fetch(`${origin}${pathname}${search}`)
      await response.text()
      return response.status
    }
    expect([await statusAt(first), await statusAt(second)]).toEqual([200, 200])

    const body = JSON.stringify({ path: 'a.txt' })
    const revoked = await send('/links/revoke', { method: 'POST', body })
    const revokedAt = Date.now()
    expect([revoked.status, await statusAt(first)]).toEqual([200, 403])
    // The cache of the second began before, so it ends in time.
    await new Promise((done) => setTimeout(done, WITHIN_MS - (Date.now() - revokedAt)))
    expect(await statusAt(second)).toBe(403)
  },
)
