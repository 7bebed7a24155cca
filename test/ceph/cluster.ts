/** The processes of a cluster and the folder they live in, so that all of it can be removed. */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** For setpriv, which becomes the program it is given: the kernel ends it should this process be killed. */
const DIES_WITH_US = ['--pdeathsig', 'KILL', '--']

/** More than any step takes on a busy machine; 2 to 4 seconds are usual for all of them. */
export const STEP_TIMEOUT_MS = 60_000

/** One throwaway cluster; its folder holds a `ceph.conf` before anything is run. */
export class Cluster {
  readonly folder: string
  readonly #children = new Set<ChildProcess>()

  constructor(folder: string) {
    this.folder = folder
  }

  /** A command that ends by itself. */
  async run(...command: string[]): Promise<void> {
    const running = promisify(execFile)('setpriv', [...DIES_WITH_US, ...command], {
      env: this.#env(),
      timeout: STEP_TIMEOUT_MS,
      killSignal: 'SIGKILL',
    })
    this.#children.add(running.child)
    await running
    this.#children.delete(running.child)
  }

  start(daemon: string, ...args: string[]): ChildProcess {
    const command = [...DIES_WITH_US, daemon, '--foreground', ...args]
    const child = spawn('setpriv', command, { env: this.#env(), stdio: 'ignore' })
    this.#children.add(child)
    return child
  }

  /** Synchronous, for the end of the process. Asked politely, an OSD would first save its memory to disk. */
  remove(): void {
    for (const child of this.#children) child.kill('SIGKILL')
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 })
  }

  /** The ends of all logs. */
  lastWords(): string {
    const logs = readdirSync(this.folder).filter((name) => name.endsWith('.log'))
    const ends = logs.map((name) => {
      const lines = readFileSync(join(this.folder, name), 'utf8').trimEnd().split('\n')
      return [`--- ${name}`, ...lines.slice(-10)].join('\n')
    })
    return ends.join('\n')
  }

  #env() {
    return { ...process.env, CEPH_CONF: join(this.folder, 'ceph.conf'), CEPH_ARGS: '' }
  }
}
