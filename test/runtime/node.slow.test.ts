/** The Node server as it is deployed. */
import { startNode } from './start-node.ts'
import { describeDownloads } from './suite-downloads.ts'
import { describeRuntime } from './suite.ts'

describeRuntime('the Node server', startNode)
describeDownloads('the Node server', startNode)
