/** The client and the service together, without a network between them. */
import { beforeAll, describe, expect, it } from 'vitest'
import * as lib from '../../src/client/index.ts'
import { ROUTES } from '../../src/client/routes.ts'
import { OPERATIONS } from '../../src/operations/registry.ts'
import { runQueued } from '../../src/operations/runs/run-queued.ts'
import { makeApp, ORIGIN } from '../support/make-app.ts'
import { CASES } from './cases.ts'

let client: lib.Moonbucket
let stranger: lib.Moonbucket

beforeAll(async () => {
  const send = async (ref: string) => void runQueued(made.service, ref)
  const made = await makeApp({ runQueue: { send, keepsMs: 3_600_000 } })
  const fetch = async (address: string, init: RequestInit) => made.app.request(address, init)
  client = lib.moonbucket({ url: ORIGIN, token: () => made.tokenOf(), fetch })
  stranger = lib.moonbucket({ url: `${ORIGIN}/`, token: 'nobody', fetch })
})

it.each(Object.entries(CASES))('%s', async (_, { run, expected }) => {
  const value = await run(client, { lib, stranger })
  expect(JSON.parse(JSON.stringify(value))).toEqual(expected)
})

describe('the requests', () => {
  /** Files as bytes, and events: not JSON. */
  const OTHERS = ['GET /fs/content', 'GET /runs/{id}/events']

  it('are those of all operations, and repeated only if they read', () => {
    const known = Object.values(ROUTES).flatMap((group) => Object.values(group))
    const offered = OPERATIONS.flatMap(({ route, hints }) =>
      route === undefined || OTHERS.includes(route)
        ? []
        : [{ route, isSafe: hints.readOnly === true }],
    )
    const byRoute = (one: { route: string }, other: { route: string }) =>
      one.route < other.route ? -1 : 1
    expect(known.toSorted(byRoute)).toEqual(offered.toSorted(byRoute))
  })

  it('cannot leave their path', async () => {
    await expect(client.runs.get({ id: '..' })).rejects.toThrow('id must be a name')
    const script = client.scripts.run({ name: 'share/../../execute' })
    await expect(script).rejects.toThrow('name must be a name')
    expect(() => client.follow('')).toThrow('id must be a name')
  })
})
