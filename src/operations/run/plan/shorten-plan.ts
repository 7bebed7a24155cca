/** Shortens a plan for a model. */
import type { ExecuteAnswer } from '../run-answer.ts'

type Plan = NonNullable<ExecuteAnswer['plan']>

const MAX_ROWS = 50
/** As JSON, of rows with their diffs. */
const MAX_LENGTH = 16_384

/** The first files that fit; diffs are left out where there is no room for them. */
export function shortenPlan(plan: Plan): Plan {
  let room = MAX_LENGTH
  const files = []
  for (const row of plan.files.slice(0, MAX_ROWS)) {
    const bare = { ...row, diff: undefined }
    const fits = [row, bare].find((one) => JSON.stringify(one).length <= room)
    if (!fits) break
    room -= JSON.stringify(fits).length
    files.push(fits)
  }
  const more = plan.files.length - files.length
  return { ...plan, files, ...(more > 0 && { more_files: more }) }
}
