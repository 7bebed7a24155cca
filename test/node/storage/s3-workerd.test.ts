/** The S3 driver inside a Worker, bundled as a deployment that uses it has to be. */
import { resolve } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { afterAll, expect, it } from 'vitest'
import { FAULTS, startFaultProxy } from '../../support/fault-proxy.ts'
import { fetchAnew } from '../../support/fetch-anew.ts'
import { sharedS3 } from '../../support/local-s3.ts'
import { everyNth, isAll } from '../../support/tier.ts'
import { workerModules } from '../../support/worker-modules.ts'
import type { QUESTIONS } from './s3-worker.ts'

const s3 = await sharedS3()
const proxy = await startFaultProxy(s3.endpoint)
const worker = new Miniflare(
  convertV4MiniflareOptions({
    compatibilityDate: '2026-09-18',
    modules: await workerModules(resolve(import.meta.dirname, 's3-worker.ts')),
  }),
)
afterAll(() => Promise.all([worker.dispose(), proxy.stop()]))

async function ask(question: keyof typeof QUESTIONS): Promise<unknown> {
  const options = { ...s3.settings, endpoint: proxy.endpoint }
  const body = JSON.stringify({ question, options })
  const answer = await worker.dispatchFetch('http://worker/', { method: 'POST', body })
  if (answer.status !== 200) throw new Error(await answer.text())
  return answer.json()
}

it.each<[keyof typeof QUESTIONS, object]>([
  [
    'writes, copies and lists',
    {
      isCopied: true,
      isInvented: false,
      names: ['w/b', 'w/copy & <1>', 'w/é +/'],
      text: 'é +/1',
    },
  ],
  [
    'knows what is missing and what is refused',
    { got: null, head: null, refused: 'PreconditionFailed', taken: 'PreconditionFailed' },
  ],
  ['reads the bodies of errors', { hint: 'the bucket in S3_BUCKET does not exist' }],
])('%s', async (question, answer) => {
  expect(await ask(question)).toEqual(answer)
})

it.runIf(isAll)('stores large bodies, in parts and in one piece, with their length', async () => {
  const lengths: unknown[] = []
  proxy.follow(({ method, headers }) => {
    if (method === 'PUT') lengths.push(headers['content-length'] ?? headers['transfer-encoding'])
    return undefined
  })
  const bytes = 33 * 1024 * 1024
  expect(await ask('stores large bodies')).toEqual([
    [bytes, 19, 20],
    [bytes, 19, 20],
  ])
  const [part, last] = [8 * 1024 * 1024, 1024 * 1024].map(String)
  expect(lengths.toSorted()).toEqual([last, String(bytes), part, part, part, part].toSorted())
})

it.each(everyNth(4, FAULTS))('outlasts: %s', async (fault) => {
  proxy.follow(({ before }) => (before === 0 ? fault : undefined))
  expect(await ask('outlasts a fault')).toEqual({ text: 'text', names: ['shaky/a'] })
  const isHarmless = fault === 'slow answer' || fault === 'sent twice'
  expect([...proxy.counts.values()]).toEqual(Array(3).fill(isHarmless ? 1 : 2))
})

it('presigns what opens', async () => {
  proxy.follow(() => undefined)
  const { url } = (await ask('presigns')) as { url: string }
  expect(await (await fetchAnew(url)).text()).toBe('text')
})
