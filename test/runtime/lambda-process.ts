/** One process of the function, as Lambda starts it: a runtime client that loads the deployment package. */
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { FunctionError } from './lambda-answer.ts'
import { startRuntimeApi, type RuntimeApi } from './lambda-runtime-api.ts'

/** How the function is configured. */
export interface FunctionOptions {
  /** Holds what the deployment package holds. */
  readonly folder: string
  /** Nothing else of this process's environment reaches the function. */
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly memoryMb: number
  /** Is told every line the function writes. */
  readonly onLine: (line: string) => void
}

/** Answers one invocation at a time. */
export interface FunctionProcess extends Pick<RuntimeApi, 'invoke' | 'invokeAsync' | 'stop'> {
  readonly isAlive: boolean
}

/** Names AWS's own runtime client, where it is installed; else ours runs the function. */
const { LAMBDA_RIC } = process.env

const beside = (file: string) => resolve(import.meta.dirname, file)
const CLIENT = LAMBDA_RIC
  ? ['--import', beside('ric-client.ts'), LAMBDA_RIC]
  : [beside('lambda-client.ts')]

/** What the platform gives the function to sign its requests with. */
export const ROLE = {
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'role-id',
  AWS_SECRET_ACCESS_KEY: 'role-secret',
  AWS_SESSION_TOKEN: 'role-session',
}

export async function startProcess(options: FunctionOptions): Promise<FunctionProcess> {
  const { folder, env, timeoutMs, memoryMb, onLine } = options
  let isAlive = true
  const api = await startRuntimeApi({
    timeoutMs,
    onTimeout() {
      const error = new FunctionError('Sandbox.Timedout', `timed out after ${timeoutMs} ms`)
      onLine(error.message)
      api.fail(error)
      child.kill('SIGKILL')
    },
  })
  const child = spawn(process.execPath, CLIENT, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...ROLE,
      ...env,
      _HANDLER: 'lambda.handler',
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
      AWS_LAMBDA_FUNCTION_NAME: 'moonbucket',
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/moonbucket',
      AWS_LAMBDA_LOG_STREAM_NAME: 'local',
      AWS_LAMBDA_NODEJS_USE_ALTERNATIVE_CLIENT_1: 'true',
      AWS_LAMBDA_RUNTIME_API: api.address,
      LAMBDA_TASK_ROOT: folder,
      TZ: ':UTC',
    },
  })
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', onLine)
  const isGone = new Promise<void>((done) => {
    child.once('exit', (code, signal) => {
      isAlive = false
      api.fail(new FunctionError('Runtime.ExitError', `exited with ${signal ?? code}`))
      done()
    })
  })
  return {
    get isAlive() {
      return isAlive
    },
    invoke: api.invoke,
    invokeAsync: api.invokeAsync,
    async stop() {
      child.kill('SIGKILL')
      await isGone
      await api.stop()
    },
  }
}
