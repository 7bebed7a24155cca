/** A copy of the repository that may be damaged. */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'

export interface Workspace {
  readonly folder: string
  /** Resolves to the exit code, or to `null` after `ms`. */
  vitest(args: readonly string[], ms: number): Promise<number | null>
}

/** Holds uncommitted changes too; packages are hard-linked, not copied. */
export function makeWorkspace(root: string, folder: string): Workspace {
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
  return { folder, vitest: (args, ms) => run(folder, args, ms) }
}

async function run(folder: string, args: readonly string[], ms: number): Promise<number | null> {
  const child = spawn(join(folder, 'node_modules/.bin/vitest'), ['run', ...args], {
    cwd: folder,
    stdio: 'ignore',
    // A process group of its own, so that what a hanging test has started ends with it.
    detached: true,
  })
  const kill = () => process.kill(-child.pid!, 'SIGKILL')
  process.once('exit', kill)
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    kill()
  }, ms)
  const code = await new Promise<number>((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (exitCode) => resolve(exitCode ?? 1))
  })
  clearTimeout(timer)
  process.off('exit', kill)
  return isLate ? null : code
}
