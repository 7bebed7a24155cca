/** A lock for writers of a folder, across processes. */
import { createHash, randomBytes } from 'node:crypto'
import { readlink, symlink, unlink, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { existsSync, readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { nullIf } from './errors.ts'
import { HIDDEN } from './key-path.ts'
import type { FolderRoot, OpenFolder } from './root.ts'

/** Runs `work` with the lock held. Hold times are short: bytes are written before. */
export type WithLock = <T>(
  signal: AbortSignal | undefined,
  work: (hidden: OpenFolder) => Promise<T>,
) => Promise<T>

const LOCK = 'lock'
const MAX_PAUSE_MS = 5

/** Lease of owners that cannot be checked, such as processes on another machine. */
const UNKNOWN_OWNER_MS = 10_000

export function folderLock(root: FolderRoot): WithLock {
  let queue: Promise<unknown> = Promise.resolve()
  const isStale = staleness()

  async function acquire<T>(
    signal: AbortSignal | undefined,
    work: (hidden: OpenFolder) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted()
    const hidden = await root.make([HIDDEN])
    try {
      const path = hidden.at(LOCK)
      const owner = await newOwner()
      while (!(await take(path, owner, isStale))) {
        await pause(Math.random() * MAX_PAUSE_MS)
        signal?.throwIfAborted()
      }
      try {
        return await work(hidden)
      } finally {
        await release(path, owner)
      }
    } finally {
      await hidden.close()
    }
  }

  return function withLock(signal, work) {
    const result = queue.then(() => acquire(signal, work))
    queue = result.catch(() => {})
    return result
  }
}

/**
 * Tries once to take the lock: a dangling symbolic link that names its owner, because creating one
 * is atomic and works on a full disk. A stale lock is removed under a second lock named after its
 * owner; otherwise two processes could both find it stale, and the second would remove the first
 * one's new lock.
 */
async function take(path: string, owner: string, isStale: IsStale): Promise<boolean> {
  if ((await nullIf(['EEXIST'], symlink(owner, path))) !== null) return true
  const holder = await nullIf(['ENOENT'], readlink(path))
  if (holder === null || !(await isStale(holder))) return false
  const claim = `${path}-${createHash('sha256').update(holder).digest('hex').slice(0, 16)}`
  if (!(await take(claim, owner, isStale))) return false
  try {
    await release(path, holder)
  } finally {
    await unlink(claim)
  }
  return false
}

async function release(path: string, owner: string): Promise<void> {
  if ((await nullIf(['ENOENT'], readlink(path))) === owner) await unlink(path)
}

type IsStale = (owner: string) => Promise<boolean>

/** Unknown owners are gone after a lease, by a clock that stops while the machine sleeps. */
function staleness(): IsStale {
  const firstSeen = new Map<string, number>()

  return async function isStale(owner) {
    const running = await isRunning(owner)
    if (running !== null) return !running
    const since = firstSeen.get(owner) ?? performance.now()
    if (firstSeen.size > 100) firstSeen.clear()
    firstSeen.set(owner, since)
    return performance.now() - since > UNKNOWN_OWNER_MS
  }
}

const hasProc = process.platform === 'linux' && existsSync('/proc/self/stat')

let self: string | undefined

/**
 * A unique name, so that others can check whether its process is still running. This process plus a
 * nonce. Short enough for an inline symlink.
 */
export async function newOwner(): Promise<string> {
  self ??= `${machine()}.${process.pid}.${await startOf(process.pid)}`
  return `${self}.${randomBytes(6).toString('hex')}`
}

/** `null` if unknown, as for other machines. */
async function isRunning(owner: string): Promise<boolean | null> {
  const [where, pid, start] = owner.split('.')
  if (where !== machine()) return null
  return (await startOf(Number(pid))) === start
}

/** Start time, because ids are reused; `null` once it is gone. */
async function startOf(pid: number): Promise<string | null> {
  if (!hasProc) return answersSignals(pid) ? '0' : null
  const stat = (await nullIf(['ENOENT', 'ESRCH'], readFile(`/proc/${pid}/stat`, 'latin1'))) ?? ''
  // The process name may contain anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const isGone = ['', 'Z', 'X'].includes(fields[0]!)
  return isGone ? null : fields[19]!
}

function answersSignals(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

let machineName: string | undefined

/** Process ids are only comparable within one boot and PID namespace. */
function machine(): string {
  machineName ??= createHash('sha256').update(machineFacts()).digest('hex').slice(0, 12)
  return machineName
}

function machineFacts(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    // Linux only, and not in every sandbox.
    return hostname()
  }
}
