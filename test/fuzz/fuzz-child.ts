/** A process that tests one target; replaced if it dies, and for another target. */
import { fork, type ChildProcess } from 'node:child_process'
import { resolve } from 'node:path'
import type { Done, Piece } from './fuzz-worker.ts'

const WORKER = resolve(import.meta.dirname, 'fuzz-worker.ts')

/**
 * Memory of VMs counts like any other, and there is plenty: else V8 looks through the whole heap after
 * every thirty VMs, which takes as long as running them.
 */
const PLENTY_OF_MEMORY = [
  '--external-memory-accounted-in-global-limit',
  '--initial-heap-size=2048',
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
]
/** Most inputs are refused, and recording where from takes longer than refusing them. */
const NO_STACK_TRACES = ['--stack-trace-limit=0']

export class FuzzChild {
  readonly #flags: readonly string[]
  #child: ChildProcess | undefined
  #target: string | undefined

  constructor({ hasStackTraces }: { readonly hasStackTraces: boolean }) {
    this.#flags = [...PLENTY_OF_MEMORY, ...(hasStackTraces ? [] : NO_STACK_TRACES)]
  }

  /** A process that ends by itself is the worst failure of all. */
  tryOut(piece: Piece): Promise<Done> {
    const child = this.#childFor(piece.target)
    return new Promise((settle) => {
      const died = (code: number | null, signal: string | null) => {
        this.#child = undefined
        settle({ ...piece, ms: 0, failure: `the process ended with ${code ?? signal}` })
      }
      child.once('exit', died)
      child.once('message', (done: Done) => {
        child.off('exit', died)
        settle(done)
      })
      child.send(piece)
    })
  }

  stop(): void {
    this.#child?.kill()
    this.#child = undefined
  }

  #childFor(target: string): ChildProcess {
    if (this.#target !== target) this.stop()
    this.#target = target
    const execArgv = [...process.execArgv, ...this.#flags]
    return (this.#child ??= fork(WORKER, {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      execArgv,
    }))
  }
}
