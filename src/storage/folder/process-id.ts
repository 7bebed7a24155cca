/** Unique process names, so that others can check whether one is still running. */
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, readlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { nullIf } from './errors.ts'

const hasProc = process.platform === 'linux' && existsSync('/proc/self/stat')

let self: string | undefined

/** This process plus a nonce. Short enough for an inline symlink. */
export async function newOwner(): Promise<string> {
  self ??= `${machine()}.${process.pid}.${await startOf(process.pid)}`
  return `${self}.${randomBytes(6).toString('hex')}`
}

/** `null` if unknown, as for other machines. */
export async function isRunning(owner: string): Promise<boolean | null> {
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
