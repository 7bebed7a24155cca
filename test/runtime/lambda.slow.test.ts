/** The Lambda function as it is deployed. */
import { startLambda } from './start-lambda.ts'
import { describeDownloads } from './suite-downloads.ts'
import { describeRuntime } from './suite.ts'

describeRuntime('the Lambda function', (vars) => startLambda(vars))
describeDownloads('the Lambda function', (vars) => startLambda(vars))
