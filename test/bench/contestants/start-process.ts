/** Starts a contestant in its own process and requests timings. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import type { Sandbox } from './sandbox.ts'

export interface Asked {
  readonly script: string
  readonly result: number
  readonly runs: number
}

export type Told = { readonly ms: readonly number[] } | { readonly failure: string }

export interface ContestantProcess {
  readonly sandbox: Sandbox
  /** Milliseconds per run. @throws with the reason if it cannot run. */
  timesOf(asked: Asked): Promise<readonly number[]>
  stop(): void
}

export function startProcess(sandbox: Sandbox): ContestantProcess {
  const child = fork(resolve(import.meta.dirname, 'process.ts'), [sandbox.name])
  const ended = once(child, 'exit').then(([code, signal]): Told => {
    return { failure: `its process ended with ${String(signal ?? code)}` }
  })
  return {
    sandbox,
    async timesOf(asked) {
      if (child.connected) child.send(asked)
      const told = await Promise.race([answerOf(child), ended])
      if ('failure' in told) throw new Error(told.failure)
      return told.ms
    },
    stop: () => child.kill(),
  }
}

async function answerOf(child: ChildProcess): Promise<Told> {
  const [told] = (await once(child, 'message')) as [Told]
  return told
}
