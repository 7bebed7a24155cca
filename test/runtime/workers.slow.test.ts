/** The Worker as it is deployed. */
import { startWorker } from '../node/start-worker.ts'
import { describeRuntime } from './suite.ts'

describeRuntime('the Worker', (vars) => startWorker({ vars }))
