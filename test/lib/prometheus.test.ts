/** Counters and histograms as Prometheus reads them. */
import { expect, it } from 'vitest'
import { Counter, Histogram } from '../../src/lib/prometheus.ts'

it('a counter has a line for each combination of labels', () => {
  const counter = new Counter('a_total', 'Things.')
  counter.add({ kind: 'x' })
  counter.add({ kind: 'x' }, 2)
  counter.add({ kind: 'say "\\hi"\n' })
  expect(counter.text()).toBe(
    '# HELP a_total Things.\n# TYPE a_total counter\n' +
      'a_total{kind="x"} 3\na_total{kind="say \\"\\\\hi\\"\\n"} 1\n',
  )
})

it('the buckets of a histogram are cumulative, with their bounds included', () => {
  const histogram = new Histogram('s', 'Seconds.', [0.1, 1])
  for (const value of [0.05, 0.1, 0.5, 7]) histogram.observe(value)
  histogram.observe(1, { of: 'b' })
  expect(histogram.text().split('\n').slice(2, -1)).toEqual([
    's_bucket{le="0.1"} 2',
    's_bucket{le="1"} 3',
    's_bucket{le="+Inf"} 4',
    's_sum 7.65',
    's_count 4',
    's_bucket{of="b",le="0.1"} 0',
    's_bucket{of="b",le="1"} 1',
    's_bucket{of="b",le="+Inf"} 1',
    's_sum{of="b"} 1',
    's_count{of="b"} 1',
  ])
})
