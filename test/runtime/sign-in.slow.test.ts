/** Signing in wherever the service runs, as it is deployed. */
import { startWorker } from '../node/start-worker.ts'
import { startLambda } from './start-lambda.ts'
import { startNode } from './start-node.ts'
import { describeSignIn } from './suite-sign-in.ts'

describeSignIn('the Worker', (vars) => startWorker({ vars }))
describeSignIn('the Node server', startNode)
describeSignIn('the Lambda function', (vars) => startLambda(vars))
