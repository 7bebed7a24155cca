/** Runs the script on standard input in a fresh process, with an API that always succeeds. */
import { text } from 'node:stream/consumers'
import { inHeader, inQuery } from '../../support/make-catalog.ts'
import { peakBytes } from '../../support/peak-bytes.ts'
import { runLua } from '../../support/run-lua.ts'
import { scriptApis } from '../../support/script-apis.ts'

const [fuel = 0] = process.argv.slice(2).map(Number)
const calls = {
  get: { params: [inQuery('q'), inQuery('kind'), inHeader('X-Note')] },
  post: { method: 'POST', body: { contentTypes: ['application/json'], type: 'object' } },
  put: { method: 'PUT', body: { contentTypes: ['text/plain'], type: 'string' } },
}
const TWO_MB = 2_000_000

const answers: Readonly<Record<string, () => Response>> = {
  lists: () => json(`[${'[],'.repeat(TWO_MB / 3)}[]]`),
  errors: () => json(`{"errors":[${'{},'.repeat(TWO_MB / 3)}{}]}`, 400),
  text: () => new Response('x'.repeat(TWO_MB)),
}

const apis = scriptApis({ a: { calls } }, ({ url }) => {
  const kind = new URL(url).searchParams.get('kind') ?? ''
  return answers[kind]?.() ?? { ok: true }
})
const outcome = await runLua(await text(process.stdin), { limits: { fuel }, apis })
console.info(JSON.stringify({ ...outcome, peakBytes: peakBytes() }))

function json(body: string, status = 200): Response {
  return new Response(body, { status, headers: { 'Content-Type': 'application/json' } })
}
