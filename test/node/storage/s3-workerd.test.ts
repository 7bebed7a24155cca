/** The S3 driver inside a Worker, bundled as a deployment that uses it has to be. */
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FAULTS, startFaultProxy, type FaultProxy } from '../../support/fault-proxy.ts'
import { fetchAnew } from '../../support/fetch-anew.ts'
import { sharedS3, type LocalS3 } from '../../support/local-s3.ts'
import { everyNth, isAll } from '../../support/tier.ts'
import type { QUESTIONS } from './s3-worker.ts'

let s3: LocalS3
let proxy: FaultProxy
let worker: Miniflare

beforeAll(async () => {
  s3 = await sharedS3()
  proxy = await startFaultProxy(s3.endpoint)
  worker = new Miniflare(
    convertV4MiniflareOptions({
      compatibilityDate: '2026-09-18',
      modules: true,
      script: await bundle(),
    }),
  )
})

afterAll(async () => {
  await worker.dispose()
  await proxy.stop()
})

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('s3-worker.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
    mainFields: ['browser', 'module', 'main'],
    // The one for browsers needs a DOMParser, which Workers do not have.
    alias: {
      '@aws-sdk/xml-builder': fileURLToPath(
        new URL('../../../node_modules/@aws-sdk/xml-builder/dist-cjs/index.js', import.meta.url),
      ),
    },
  })
  return outputFiles[0]!.text
}

async function ask(question: keyof typeof QUESTIONS): Promise<unknown> {
  const options = { ...s3.settings, endpoint: proxy.endpoint }
  const body = JSON.stringify({ question, options })
  const answer = await worker.dispatchFetch('http://worker/', { method: 'POST', body })
  if (answer.status !== 200) throw new Error(await answer.text())
  return answer.json()
}

it('writes, copies and lists', async () => {
  expect(await ask('writes, copies and lists')).toEqual({
    isCopied: true,
    isInvented: false,
    names: ['w/b', 'w/copy & <1>', 'w/é +/'],
    text: 'é +/1',
  })
})

it('knows what is missing and what is refused', async () => {
  expect(await ask('knows what is missing and what is refused')).toEqual({
    got: null,
    head: null,
    refused: 'PreconditionFailed',
    taken: 'PreconditionFailed',
  })
})

it('reads the bodies of errors', async () => {
  const hint = 'the bucket in S3_BUCKET does not exist'
  expect(await ask('reads the bodies of errors')).toEqual({ hint })
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
