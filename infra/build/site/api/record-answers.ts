/** Records the examples' responses from the real service, with memory storage and a fixed clock. */
import { SignJWT } from 'jose'
import { loadLua } from '#lua-wasm'
import { createApp } from '../../../../src/app.ts'
import { ALL_SCOPES } from '../../../../src/caller.ts'
import { parseConfig } from '../../../../src/config.ts'
import { Admission } from '../../../../src/operations/memory/admission.ts'
import { memoryStorage } from '../../../../src/storage/memory.ts'
import { timestamp } from '../../../../src/operations/timestamp.ts'
import { PLACEHOLDER_ORIGIN } from '../../../../src/site/placeholder-origin.ts'
import { exampleRequest, linkTokenIn, idIn } from './examples.ts'
import { API_OPERATIONS } from './operations.ts'

export interface RecordedAnswer {
  readonly status: number
  readonly contentType: string
  readonly text: string
}

const NOW = new Date('2026-11-16T09:00:00Z')
const RUN_ID = 'fe644a8dba7f3c0d9a72b15e'
const KEY_ID = 'fe644a8dba7f6d40ac103b1f6c0d9a72'
const SECRET = 'signs what nobody will ever open'
/** Not recorded: `openapi.json` is built from these recordings. */
const NOT_RECORDED = 'openapi'

/** By operation id. */
export type RecordedAnswers = ReadonlyMap<string, RecordedAnswer>

/** @throws if an example fails. */
export async function recordAnswers(): Promise<RecordedAnswers> {
  const app = createApp({
    service: {
      config: parseConfig({ AUTH_SECRET: SECRET, LINK_SECRET: SECRET }),
      storage: memoryStorage(),
      lua: await loadLua(),
      admission: new Admission(Infinity),
      now: () => NOW,
      log: () => undefined,
      runQueue: { send: async () => undefined, keepsMs: Infinity },
    },
  })
  const token = await new SignJWT({
    tenant: 'acme',
    sub: 'alice',
    scope: ALL_SCOPES,
    exp: NOW.getTime() / 1000 + 60,
  })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(SECRET))
  const answers = new Map<string, RecordedAnswer>()
  const linkTokens = new Map<string, string | undefined>()
  const ids = new Map<string, string | undefined>()

  async function record(name: string, request: Request): Promise<void> {
    request.headers.set('X-Request-Id', '5f0c2a9e')
    const response = await app.fetch(request)
    const text = await response.text()
    if (!response.ok)
      throw new Error(`the example of ${name} fails with ${response.status}: ${text}`)
    const contentType = response.headers.get('Content-Type')?.split(';')[0] ?? ''
    if (contentType === 'application/json') {
      linkTokens.set(name, linkTokenIn(JSON.parse(text)))
      ids.set(name, idIn(JSON.parse(text)))
    }
    answers.set(name, { status: response.status, contentType, text: shortened(text) })
  }

  for (const operation of API_OPERATIONS) {
    if (operation.id === NOT_RECORDED) continue
    const linkToken = linkTokens.get(operation.example.linkFrom ?? '')
    const id = ids.get(operation.example.idFrom ?? '')
    const credentials = { origin: PLACEHOLDER_ORIGIN, token, linkToken, id }
    await record(operation.id, exampleRequest(operation, credentials))
  }
  return answers
}

/** Replaces values that vary between builds. */
function shortened(text: string): string {
  return text
    .replaceAll(/token=[\w.-]+/g, 'token=…')
    .replaceAll(/report_[0-9a-f]{12}/g, 'report_3b1f6c0d9a72')
    .replaceAll(/"modified_at":"[^"]+"/g, `"modified_at":"${timestamp(NOW)}"`)
    .replaceAll(/"ms":\d+/g, '"ms":2')
    .replaceAll(/"id":"[0-9a-f]{24}"/g, `"id":"${RUN_ID}"`)
    .replaceAll(/"id":"[0-9a-f]{32}"/g, `"id":"${KEY_ID}"`)
    .replaceAll(/"mb_[\w-]+"/g, '"mb_…"')
    .replaceAll(/^id: [0-9a-f]{6}-/gm, `id: ${RUN_ID.slice(-6)}-`)
}
