/** The function as Lambda scales it: a process answers one request at a time, and more are started at need. */
import type { StreamedAnswer } from './lambda-answer.ts'
import { startProcess, type FunctionOptions, type FunctionProcess } from './lambda-process.ts'

/** The function, ready to be invoked. */
export interface LocalFunction {
  /** @throws {FunctionError} when it fails before its answer begins. */
  invoke(event: unknown): Promise<StreamedAnswer>
  /** Resolves at the end. @throws {FunctionError} when it fails. */
  invokeAsync(event: unknown): Promise<void>
  /** Kills every process, whatever it does; another event would start one again. */
  stop(): Promise<void>
}

/** Starts no process before the first event. */
export function localFunction(options: FunctionOptions): LocalFunction {
  const all: Promise<FunctionProcess>[] = []
  const idle: FunctionProcess[] = []

  function take(): Promise<FunctionProcess> | FunctionProcess {
    for (let process = idle.pop(); process; process = idle.pop()) {
      if (process.isAlive) return process
    }
    const starting = startProcess(options)
    all.push(starting)
    return starting
  }

  async function* returning(process: FunctionProcess, body: StreamedAnswer['body']) {
    try {
      yield* body
    } finally {
      idle.push(process)
    }
  }

  return {
    async invoke(event) {
      const process = await take()
      try {
        const { head, body } = await process.invoke(event)
        return { head, body: returning(process, body) }
      } catch (error) {
        idle.push(process)
        throw error
      }
    },
    async invokeAsync(event) {
      const process = await take()
      try {
        await process.invokeAsync(event)
      } finally {
        idle.push(process)
      }
    },
    stop: async () => {
      await Promise.all(all.splice(0).map(async (started) => (await started).stop()))
    },
  }
}
