/** `GET /metrics` of the Node server: for the operator alone, and nothing about tenants in it. */
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { spawnNode, untilListening, type StartedNode } from '../../runtime/start-node.ts'
import { makeApp, ORIGIN } from '../../support/make-app.ts'
import { SECRETS } from '../../support/sign-token.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { clientOf } from './node-client.ts'

const METRICS_KEY = 'reads the numbers of the tests'

let node: StartedNode | undefined

afterEach(() => node?.stop())

/** A line of the format: a comment, or a name with labels and a number. */
const LINE =
  /^(?:# (?:HELP|TYPE) [a-z_]+ .+|[a-z_]+(?:\{[a-z]+="[^"\\\n]*"(?:,[a-z]+="[^"\\\n]*")*\})? \d+(?:\.\d+)?(?:e[+-]\d+)?)$/

it('counts runs, waits, store requests and refusals', async () => {
  const vars = { ...SECRETS, STORAGE: 'folder', FOLDER: join(tempFolder(), 'files'), METRICS_KEY }
  node = await untilListening(await spawnNode(vars))
  const { run } = clientOf(node, 'secret-tenant')
  await run('file.save("private-name.txt", "x")')
  await run('error("x")')
  const read = (headers: Record<string, string> = {}) =>
    fetch(`${node!.origin}/metrics`, { headers })
  expect((await read()).status).toBe(401)
  expect((await read({ Authorization: 'Bearer wrong' })).status).toBe(401)

  const response = await read({ Authorization: `Bearer ${METRICS_KEY}` })
  const text = await response.text()
  expect(response.headers.get('Content-Type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(text.split('\n').filter((line) => line !== '' && !LINE.test(line))).toEqual([])
  const lines = text.split('\n')
  for (const line of [
    'moonbucket_runs_total{outcome="ok"} 1',
    'moonbucket_runs_total{outcome="runtime"} 1',
    'moonbucket_run_seconds_count 2',
    'moonbucket_run_fuel_count 2',
    'moonbucket_run_wait_seconds_count 2',
    'moonbucket_denied_total{status="401"} 2',
  ]) {
    expect(lines).toContain(line)
  }
  // The threads of runs tell theirs, too.
  expect(text).toMatch(/^moonbucket_store_seconds_count\{request="put"\} [1-9]/m)
  expect(text).not.toMatch(/secret-tenant|alice|private-name/)
})

it('is not there without a key, nor elsewhere', async () => {
  const { app } = await makeApp({ env: { METRICS_KEY } })
  const headers = { Authorization: `Bearer ${METRICS_KEY}` }
  expect((await app.request(`${ORIGIN}/metrics`, { headers })).status).toBe(404)
})
