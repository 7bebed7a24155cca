/** The Node server as it is bundled for deployment, beside a bare Hono server on Node. */
import { resolve } from 'node:path'
import { startNode } from '../../../runtime/start-node.ts'
import { startProgram } from '../../../soak/large/start-program.ts'
import { sharedS3 } from '../../../support/local-s3.ts'
import { SECRETS, signToken } from '../../../support/sign-token.ts'
import { atLeast } from '../../bars.ts'
import { findRow } from '../../compare.ts'
import { sender } from '../../load.ts'
import type { Bar, Comparison } from '../../results.ts'
import { compareUnderLoad } from '../../rivals.ts'

const BARE = 'bare Hono server'
const MIN_RATE = 0.5
const WHY =
  'a third of the CPU time is that of the server, which wakes a thread and is woken by it, half that of the threads, and the rest that of collecting what the engine keeps of each VM.'

export async function nodeRate(): Promise<{ comparison: Comparison; bar: Bar }> {
  const product = await startNode()
  const bare = await startProgram(resolve(import.meta.dirname, '../../servers/bare-node.ts'), [], {
    ...SECRETS,
    ...(await sharedS3()).vars,
  })
  const token = await signToken({ tenant: 'bench', sub: 'alice' })
  const headers = { Authorization: `Bearer ${token}` }
  const script = { script: 'return 1+1' }
  try {
    const comparison = await compareUnderLoad(
      {
        id: 'service-node',
        title: 'A trivial script on the Node server, 16 callers at once',
        note: 'The bare server checks the same token and answers a constant, on one thread. Ours runs scripts on others, so that none blocks the server.',
      },
      [
        {
          name: 'POST /execute',
          pid: product.process.pid!,
          send: sender(`${product.origin}/execute`, headers, script),
        },
        { name: BARE, pid: bare.pid, send: sender(`${bare.line}/answer`, headers, script) },
      ],
      { requests: 320, atOnce: 16, rounds: 20, budgetMs: 15_000, warmUps: 4 },
    )
    const row = findRow(comparison, BARE)
    const bar = atLeast(
      'a trivial script on the Node server',
      { measured: row && 1 / row.ratio.median, limit: MIN_RATE, unit: 'of a bare server’s rate' },
      `at least ${MIN_RATE} of the requests per second of a bare Hono server with the same token check`,
    )
    return { comparison, bar: { ...bar, why: WHY } }
  } finally {
    bare.stop()
    await product.stop()
  }
}
