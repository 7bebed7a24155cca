/** A copy of the repository that may be damaged, and the tests run in it. */
import { execFileSync, fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Failure, Message, Run } from './rerun.ts'

export interface Session {
  /** How the first test that fails is called; a run without news for `quietMs` has failed too. */
  run(run: Run, quietMs: number): Promise<Failure | null>
  isOver(): boolean
  end(): void
}

/** Holds uncommitted changes too; packages are hard-linked, not copied. */
export function makeWorkspace(root: string, folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  execFileSync('git', ['clone', '--quiet', '--shared', root, folder])
  const files = execFileSync('git', ['ls-files', '-z', '-c', '-o', '--exclude-standard'], {
    cwd: root,
  })
  execFileSync('tar', ['-c', '--null', '-T', '-', '-f', join(folder, '.files.tar')], {
    cwd: root,
    input: files,
  })
  execFileSync('tar', ['-xf', '.files.tar'], { cwd: folder })
  rmSync(join(folder, '.files.tar'))
  for (const place of ['.', 'test/all']) {
    const packages = join(root, place, 'node_modules')
    if (existsSync(packages))
      execFileSync('cp', ['-al', packages, join(folder, place, 'node_modules')])
  }
}

/** Starts Vitest, which builds from the source as it is. @throws if the build fails. */
export async function startSession(folder: string, mode: string): Promise<Session> {
  const child = fork(join(folder, 'test/mutants/rerun.ts'), [mode], {
    cwd: folder,
    stdio: 'ignore',
    // A process group of its own, so that what a hanging test has started ends with it.
    detached: true,
  })
  const isOver = () => child.exitCode !== null || child.signalCode !== null
  const end = () => {
    process.off('exit', end)
    if (!isOver()) process.kill(-child.pid!, 'SIGKILL')
  }
  process.once('exit', end)
  await Promise.race([once(child, 'message'), once(child, 'exit')])
  if (isOver()) throw new Error('the build fails')
  return {
    run: (run, quietMs) =>
      runIn(child, run, quietMs).finally(() => {
        child.removeAllListeners('message').removeAllListeners('exit')
      }),
    isOver,
    end,
  }
}

function runIn(child: ChildProcess, run: Run, quietMs: number): Promise<Failure | null> {
  return new Promise((resolve) => {
    let file = run.files[0]!
    let isLate = false
    const giveUp = () => {
      isLate = true
      process.kill(-child.pid!, 'SIGKILL')
    }
    let timer = setTimeout(giveUp, quietMs)
    child.on('message', (message: Message) => {
      clearTimeout(timer)
      if ('failure' in message) return resolve(message.failure)
      file = message.running
      timer = setTimeout(giveUp, quietMs)
    })
    child.on('exit', () => {
      clearTimeout(timer)
      resolve({ file, test: isLate ? 'does not end' : 'ends Vitest' })
    })
    child.send(run)
  })
}
