/** How long hostile Markdown can block the service. */
import { renderMarkdown } from '../../../../src/http/pages/markdown/html.ts'
import { hostileMarkdown } from '../../../support/hostile-markdown.ts'
import { atMost } from '../../bars.ts'
import { spreadOf } from '../../measure.ts'
import { say } from '../../progress.ts'
import type { Bar, Comparison } from '../../results.ts'

const MAX_MS = 200
const ROUNDS = 5
const SHOWN = 5

export function markdown(): { comparison: Comparison; bar: Bar } {
  say('Markdown that is made to be slow')
  const rows = hostileMarkdown().map(([name, text]) => {
    const times = Array.from({ length: ROUNDS }, () => renderMs(text))
    return { name, value: spreadOf(times) }
  })
  const slowest = rows.sort((a, b) => b.value.median - a.value.median).slice(0, SHOWN)
  const measured = slowest[0]!.value.median
  const what = 'markdown, worst of hostile corpus, 128 KiB'
  return {
    comparison: {
      id: 'service-markdown',
      title: `Markdown made to be slow: the ${SHOWN} slowest of ${rows.length}, 128 KiB each, CPU time`,
      unit: 'ms',
      rounds: ROUNDS,
      hasChart: false,
      rows: slowest,
    },
    bar: atMost(what, { measured, limit: MAX_MS, unit: 'ms' }, `at most ${MAX_MS} ms`),
  }
}

/** CPU time of this thread, which serves nothing else meanwhile. */
function renderMs(text: string): number {
  const before = process.threadCpuUsage()
  renderMarkdown(text, 'https://moonbucket.test')
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
