/** A clone as a newcomer has it: what is committed, and a shell with Node and npm only. */
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../../../infra/root.ts'
import { processesOf, startUntil, type Running } from './dev-server.ts'

/** Set by npm and vitest for what they start, or settings of the person who runs the tests. */
const NOT_OURS =
  /^(?:npm_(?!config_(?:registry|cache|userconfig)$).*|INIT_CWD|NODE|NODE_ENV|NODE_OPTIONS|VITEST.*|WRANGLER_.*)$/

/** About the configuration of this machine, or about a Node that only npm itself runs on. */
const EXPECTED = /Unknown (?:user|env|builtin|global) config|EBADENGINE|npm notice/

const ALARM = /warn|error|deprecat|fail|exception|vulnerab/i

export class FreshClone {
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  readonly #started: Running[] = []
  readonly #times: (readonly [string, number])[] = []
  #printed = ''

  /** @param parent An empty folder. */
  constructor(parent: string) {
    this.folder = join(parent, 'moonbucket')
    execFileSync('git', ['clone', '--quiet', ROOT, this.folder])
    const own = Object.entries(process.env).filter(([name]) => !NOT_OURS.test(name))
    const programs = process.env.PATH!.split(delimiter).filter((p) => !p.includes('node_modules'))
    this.env = {
      ...Object.fromEntries(own),
      PATH: programs.join(delimiter),
      XDG_CACHE_HOME: join(parent, 'cache'),
      npm_config_prefer_offline: 'true',
    }
  }

  /** Returns what the commands print on standard output. */
  async run(code: string): Promise<string> {
    const options = { cwd: this.folder, env: this.env, maxBuffer: 64 * 1024 * 1024 }
    const { stdout, stderr } = await promisify(execFile)('sh', ['-ec', code], options)
    this.#printed += stderr
    return stdout
  }

  /** Commands of which the last goes on. */
  async start(wanted: RegExp, code: string): Promise<Running & { found: string }> {
    const options = { cwd: this.folder, env: this.env }
    const running = await startUntil(wanted, ['sh', '-ec', code], options)
    this.#started.push(running)
    return running
  }

  /** Measures from nothing to what a person waits for. */
  async timed<T>(what: string, work: () => Promise<T>): Promise<T> {
    const begin = performance.now()
    const result = await work()
    this.#times.push([what, (performance.now() - begin) / 1000])
    return result
  }

  report(): string {
    const lines = this.#times.map(([what, s]) => `${s.toFixed(1).padStart(7)} s  ${what}`)
    return ['the first hour', ...lines].join('\n')
  }

  /** Lines that would worry a newcomer. */
  alarms(): string[] {
    const all = [this.#printed, ...this.#started.map((running) => running.printed())].join('\n')
    return all.split('\n').filter((line) => ALARM.test(line) && !EXPECTED.test(line))
  }

  /** Processes whose program or working directory is in the clone. */
  processes(): string[] {
    const ids = existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : []
    return ids.flatMap((id) => {
      try {
        const places = ['exe', 'cwd'].map((name) => readlinkSync(`/proc/${id}/${name}`))
        if (!places.some((place) => place.startsWith(this.folder))) return []
        return `${id} ${readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ')}`
      } catch {
        // It has ended, or belongs to somebody else.
        return []
      }
    })
  }

  /** After a failure, too. */
  kill(): void {
    for (const { pid } of this.#started) {
      if (processesOf(pid).length > 0) process.kill(-pid, 'SIGKILL')
    }
  }
}
