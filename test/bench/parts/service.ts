/** The deployed Worker in Miniflare, against a bare route that checks the same tokens. */
import { atLeast } from '../bars.ts'
import { findRow } from '../compare.ts'
import { compareUnderLoad } from '../rivals.ts'
import type { Comparison, Figures } from '../results.ts'
import { startBareRoute, startProduct, type Service } from '../start-services.ts'
import { dumpSpeed } from './service/dump.ts'
import { growths } from './service/growth.ts'
import { largeFile } from './service/large-file.ts'
import { markdown } from './service/markdown.ts'
import { nodeRate } from './service/node.ts'
import { upload } from './service/upload.ts'

/** Relative to the bare route's requests per second. */
const MIN_RATE = 0.5

export const OURS = 'POST /execute'
const BARE = 'bare Hono route'

export const EXECUTE_ONCE = 'service-execute'

const TRIVIAL = { script: 'return 1+1' }
const WRITE_KILOBYTE = {
  script: 'local f = io.open("note.txt", "w") f:write(("x"):rep(1024)) f:close()',
}

interface Services {
  readonly product: Service
  readonly bare: Service
}

export async function service(): Promise<Figures> {
  const [product, bare] = [await startProduct(), await startBareRoute()]
  try {
    const trivial = await trivialRuns({ product, bare })
    const kilobyte = await kilobyteFiles({ product, bare })
    const large = await largeFile({ product, bare })
    const grown = await growths(product)
    const uploaded = upload()
    const rendered = markdown()
    const onNode = await nodeRate()
    const dumped = await dumpSpeed()
    return {
      comparisons: [
        ...trivial,
        kilobyte,
        large.comparison,
        ...uploaded.comparisons,
        rendered.comparison,
        onNode.comparison,
        dumped,
      ],
      growths: grown,
      bars: [rateBar(trivial[0]!), large.bar, ...uploaded.bars, rendered.bar, onNode.bar],
    }
  } finally {
    await product.stop()
    await bare.stop()
  }
}

async function trivialRuns({ product, bare }: Services): Promise<Comparison[]> {
  const rivals = [
    { name: OURS, pid: product.pid, send: product.post('/execute', TRIVIAL) },
    { name: BARE, pid: bare.pid, send: bare.post('/answer', TRIVIAL) },
  ]
  const atOnce = await compareUnderLoad(
    {
      id: 'service-rate',
      title: 'A trivial script, 16 callers at once',
      note: 'The Worker as it is bundled for deployment. The bare route checks the same token and answers a constant.',
      hasChart: true,
    },
    rivals,
    { requests: 320, atOnce: 16, rounds: 20, budgetMs: 20_000, warmUps: 4 },
  )
  const oneByOne = await compareUnderLoad(
    { id: EXECUTE_ONCE, title: 'A trivial script, one request after the other' },
    rivals,
    { requests: 100, atOnce: 1, rounds: 20, budgetMs: 10_000, warmUps: 1 },
  )
  return [atOnce, oneByOne]
}

function kilobyteFiles({ product, bare }: Services): Promise<Comparison> {
  return compareUnderLoad(
    {
      id: 'service-kilobyte',
      title: 'A script that writes a file of 1 KB, one request after the other',
      note: 'The bare route puts as many bytes into the same kind of bucket. Ours also signs the links to the file.',
    },
    [
      { name: OURS, pid: product.pid, send: product.post('/execute', WRITE_KILOBYTE) },
      { name: `${BARE}, one put`, pid: bare.pid, send: bare.post('/put?bytes=1024', {}) },
    ],
    { requests: 50, atOnce: 1, rounds: 15, budgetMs: 15_000, warmUps: 1 },
  )
}

function rateBar(rates: Comparison) {
  const bare = findRow(rates, BARE)
  return atLeast(
    '`POST /execute` of a trivial script',
    { measured: bare && 1 / bare.ratio.median, limit: MIN_RATE, unit: 'of a bare route’s rate' },
    `at least ${MIN_RATE} of the requests per second of a bare route with the same token check`,
  )
}
