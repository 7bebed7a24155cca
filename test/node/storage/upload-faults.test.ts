/** Large files on a bad network: whole once acknowledged, never torn, no upload left open. */
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { retrying } from '../../../src/storage/retrying.ts'
import { s3Storage } from '../../../src/storage/s3/s3.ts'
import { FAULTS, startFaultProxy, type Fault, type Seen } from '../../support/fault-proxy.ts'
import { isUploadOpen, sharedS3 } from '../../support/local-s3.ts'
import { makeApp } from '../../support/make-app.ts'
import { everyNth, isAll } from '../../support/tier.ts'

const PATIENCE = { attempts: 2, firstPauseMs: 1, maxPauseMs: 5, attemptMs: 500 }

const s3 = await sharedS3()
const proxy = await startFaultProxy(s3.endpoint)
const direct = s3Storage(s3.settings)
const shaky = retrying(s3Storage({ ...s3.settings, endpoint: proxy.endpoint }), PATIENCE)
afterAll(() => proxy.stop())
beforeEach(() => proxy.follow(() => undefined))

/** Each test takes seconds. */
const FAULTS_HERE = isAll ? FAULTS : (['lost answer'] as const)

/** Two full parts and a short one. */
const BYTES = 17 * 1024 * 1024
const WRITE = `
  local file = assert(io.open('big', 'w'))
  local block = ('0123456789abcde\\n'):rep(4096)
  for i = 1, ${BYTES / 65_536} do file:write(block) end
  file:close()`

const isPart = (number: string) => (seen: Seen) =>
  seen.method === 'PUT' && seen.query.get('partNumber') === number
const isCompletion = ({ method, query }: Seen) => method === 'POST' && query.has('uploadId')
const PLACES = everyNth<[place: string, isThere: (seen: Seen) => boolean]>(3, [
  ['the first part', isPart('1')],
  ['a part in the middle', isPart('2')],
  ['the last part', isPart('3')],
  ['the completion', isCompletion],
])

/** Runs the script on a store that held another version, under a plan of faults. */
async function writeUnder(plan: (seen: Seen) => Fault | undefined) {
  const app = await makeApp({ storage: shaky })
  const key = `${app.tenant}/users/alice/big`
  await direct.put(key, new TextEncoder().encode('old'))
  const ids = new Set<string>()
  let met = 0
  proxy.follow((seen) => {
    const id = seen.query.get('uploadId')
    if (id) ids.add(id)
    const fault = plan(seen)
    if (fault) met++
    return fault
  })
  const answer = await app.run(WRITE)
  proxy.follow(() => undefined)
  const open = await Promise.all([...ids].map((id) => isUploadOpen(s3, key, id)))
  const body = Buffer.from((await direct.get(key))!.body)
  const isWhole = body.equals(Buffer.alloc(BYTES, '0123456789abcde\n'))
  const stored = isWhole ? 'new' : body.length === 3 ? 'old' : 'torn'
  const [row] = answer.files_touched
  return {
    answer,
    stored,
    isAcknowledged: row?.stored !== false,
    leftOpen: open.includes(true),
    met,
  }
}

describe.each(FAULTS_HERE)('with %s', (fault) => {
  it.each(PLACES)('once at %s, the file is stored', async (_, isThere) => {
    let isMet = false
    const outcome = await writeUnder((seen) => {
      if (isMet || !isThere(seen)) return undefined
      isMet = true
      return fault
    })
    expect(outcome).toMatchObject({ stored: 'new', isAcknowledged: true, leftOpen: false, met: 1 })
    expect(outcome.answer.error).toBeUndefined()
  })

  it.each(PLACES)('at every try of %s, what is acknowledged is there', async (_, isThere) => {
    const outcome = await writeUnder((seen) => (isThere(seen) ? fault : undefined))
    const { answer, stored, isAcknowledged, leftOpen, met } = outcome
    expect(met).toBeGreaterThan(0)
    expect([isAcknowledged ? stored === 'new' : stored !== 'torn', leftOpen]).toEqual([true, false])
    expect(answer.error?.kind).toBe(isAcknowledged ? undefined : 'storage')
  })
})

it('an upload that cannot begin is told, and the old version stays', async () => {
  const outcome = await writeUnder(({ method, query }) =>
    method === 'POST' && query.has('uploads') ? '500' : undefined,
  )
  expect(outcome).toMatchObject({ stored: 'old', isAcknowledged: false, leftOpen: false })
  expect(outcome.answer.error).toMatchObject({ kind: 'storage' })
})

it('a completion that nobody can look for is told as one that may have been stored', async () => {
  let isSent = false
  const outcome = await writeUnder((seen) => {
    isSent ||= isCompletion(seen)
    if (isCompletion(seen)) return 'lost answer'
    return isSent && seen.method === 'HEAD' ? '500' : undefined
  })
  expect(outcome).toMatchObject({ stored: 'new', isAcknowledged: false, leftOpen: false })
  expect(outcome.answer.error).toEqual({
    kind: 'storage',
    message: 'it is not known whether everything was stored; not confirmed by the store: big',
  })
})
