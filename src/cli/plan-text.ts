/** A plan as text for a person. */
import type { RunAnswer } from '../operations/run/run-answer.ts'

type Plan = NonNullable<RunAnswer['plan']>

/** Diffs follow the lists, so that these can be read at a glance. */
export function planText({ complete, files, unsent_calls }: Plan): string {
  const changes = files.map(({ name, op, bytes, stored }) => {
    const size = op === 'remove' ? '' : ` (${bytes} bytes)`
    return stored === false ? `would not store ${name}${size}` : `would ${op} ${name}${size}`
  })
  const calls = unsent_calls.map(({ api, function: called, method, count }) => {
    const times = count === 1 ? '' : ` ${count} times`
    return `would call ${api}.${called} (${method})${times}`
  })
  const lines = [
    ...changes,
    ...calls,
    ...(changes.length + calls.length === 0 ? ['would change nothing'] : []),
    ...(complete ? [] : ['a run may do more: the plan is not complete']),
  ]
  const diffs = files.flatMap(({ diff }) => diff ?? [])
  return [...lines.map((line) => `${line}\n`), ...diffs.map((diff) => `\n${diff}`)].join('')
}
