/** What the server counts is read by a parser that is not ours. */
import { expect, it } from 'vitest'
import { NodeMetrics } from '../../../src/entry/node/metrics.ts'
import { loadPackage } from '../../all/packages.ts'

interface Family {
  readonly name: string
  readonly type: string
  readonly metrics: readonly object[]
}

it('parses as Prometheus text', () => {
  const parse = loadPackage<(text: string) => Family[]>('parse-prometheus-text-format')
  const metrics = new NodeMetrics()
  for (const ms of [1, 20, 70_000, 2_000_000]) {
    metrics.onStore({ request: 'get', ms, isFailed: ms === 20 })
  }
  const families = parse(metrics.text())
  expect(families.map(({ name, type }) => [name, type])).toEqual([
    ['moonbucket_run_seconds', 'HISTOGRAM'],
    ['moonbucket_run_fuel', 'HISTOGRAM'],
    ['moonbucket_run_wait_seconds', 'HISTOGRAM'],
    ['moonbucket_runs_total', 'COUNTER'],
    ['moonbucket_store_seconds', 'HISTOGRAM'],
    ['moonbucket_store_errors_total', 'COUNTER'],
    ['moonbucket_denied_total', 'COUNTER'],
    ['moonbucket_faults_total', 'COUNTER'],
  ])
  expect(families[4]!.metrics).toMatchObject([{ buckets: { '0.025': '2', '+Inf': '4' } }])
  expect(families[5]!.metrics).toMatchObject([{ value: '1' }])
})
