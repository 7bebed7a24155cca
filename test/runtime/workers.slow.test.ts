/** The Worker as it is deployed. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startWorker } from '../node/start-worker.ts'
import { describeRuntime } from './suite.ts'

describeRuntime('the Worker', async (vars) => {
  const persist = mkdtempSync(join(tmpdir(), 'moonbucket-worker-'))
  const worker = await startWorker({ persist, vars })
  return {
    ...worker,
    async stop() {
      await worker.stop()
      rmSync(persist, { recursive: true })
    },
  }
})
