/** The APIs of one run without a script: its end, and refused calls. */
import { describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS } from '../../../src/limits.ts'
import { runApis } from '../../../src/sdk/call/run-apis.ts'
import { ToolLists } from '../../../src/sdk/upstream/upstream-servers.ts'
import type { ApiHost } from '../../../src/vm/library/library-host.ts'
import { makeCatalog, type ApiSketches } from '../../support/make-catalog.ts'
import { scriptApis } from '../../support/script-apis.ts'

const SKETCHES: ApiSketches = {
  a: {
    calls: {
      get: { body: { contentTypes: ['application/json'], type: 'object' } },
    },
  },
}

const NO_FILES: ApiHost = {
  read: () => Promise.reject(new Error('nothing is read here')),
  assertCanSave: () => undefined,
  openSave() {
    throw new Error('nothing is saved here')
  },
  work: () => undefined,
  fuelLeft: 1,
  note: () => undefined,
}

const told = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes)) as unknown

describe('a run that is over', () => {
  it('does not save a late response', async () => {
    const saved: string[] = []
    const files = {
      ...NO_FILES,
      openSave: (path: string) => ({
        path,
        roomBytes: Infinity,
        makeRoom: async () => {},
        write: async () => {},
        close: async () => void saved.push(path),
        abort: async () => {},
      }),
    }
    const run = new AbortController()
    const apis = scriptApis(
      SKETCHES,
      () => {
        run.abort(new Error('over'))
        return { late: true }
      },
      { signal: run.signal },
    )
    const call = { name: 'a.get', argsJson: '{}', optionsJson: '{"save_to":"a.json"}' }
    await expect(apis.call(call, files)).rejects.toThrow('over')
    expect(saved).toEqual([])
  })

  it('sends no more requests', async () => {
    let sent = 0
    const apis = scriptApis(SKETCHES, () => ++sent, {
      signal: AbortSignal.abort(new Error('over')),
    })
    await expect(apis.call({ name: 'a.get', argsJson: '{}' }, NO_FILES)).rejects.toThrow('over')
    expect(sent).toBe(0)
  })
})

it('a run without calls does not read its signal', async () => {
  const apis = runApis({
    catalog: makeCatalog(SKETCHES),
    secretOf: () => undefined,
    fetch,
    allowsLoopback: false,
    fetchAccessToken: () => Promise.reject(new Error('nobody asks')),
    toolLists: new ToolLists(() => new Date()),
    limits: DEFAULT_LIMITS,
    callerAuth: new Map(),
    secrets: [],
    ending: {
      get signal(): AbortSignal {
        throw new Error('asked')
      },
    },
  })
  expect(apis.find('a')).toEqual({ api: 'a' })
  expect((await apis.search('get')).hitsJson).toContain('a.get')
  expect(await apis.help('a.get')).toContain('sdk.a.get')
})

it('a body that cannot be sent is refused', async () => {
  const apis = scriptApis(SKETCHES, () => Promise.reject(new Error('nothing may be sent')))
  const answer = await apis.call({ name: 'a.get', argsJson: '{"body":{"q":1}}' }, NO_FILES)
  expect(answer.kind === 'error' && told(answer.bytes)).toEqual({
    code: 'invalid_arguments',
    message: 'a.get: GET cannot have a body',
  })
})

it('an unknown page number gets the first page', async () => {
  const apis = scriptApis(SKETCHES, ({ url }) => ({ url }))
  for (const page of [0, 7, -1, 1.5, Number.NaN]) {
    const answer = await apis.call({ name: 'a.get', argsJson: '{}', page }, NO_FILES)
    expect(answer.kind === 'json' && told(answer.bytes)).toEqual({ url: 'https://api.test/get' })
  }
})
