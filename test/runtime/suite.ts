/** What the service does wherever it runs: every runtime is held to the same values. */
import { afterAll, beforeAll, describe } from 'vitest'
import { callerOf } from '../support/caller.ts'
import { START_MS, VARS, type Runtime, type StartRuntime } from './runtime.ts'
import { describeErrors } from './suite-errors.ts'
import { describeFiles } from './suite-files.ts'
import { describeLinks } from './suite-links.ts'
import { describeMcp } from './suite-mcp.ts'
import { describeRuns } from './suite-runs.ts'
import { describeSite } from './suite-site.ts'

export function describeRuntime(name: string, start: StartRuntime): void {
  describe(name, () => {
    let runtime: Runtime | undefined

    beforeAll(async () => {
      runtime = await start(VARS)
    }, START_MS)

    afterAll(() => runtime?.stop())

    const caller = callerOf(() => runtime!.origin, `-${crypto.randomUUID()}`)
    describeRuns(caller)
    describeFiles(caller)
    describeLinks(caller)
    describeMcp(caller)
    describeErrors(caller)
    describeSite(caller)
  })
}
