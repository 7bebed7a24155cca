/** Names processes in a way that outlives them, so that others can tell whether one is still there. */
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, readlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { nullIf } from './errors.ts'

/** Where Linux tells of processes. */
const hasProc = process.platform === 'linux' && existsSync('/proc/self/stat')

let self: string | undefined

/** This process, and something that never comes again. Short enough for a file system to keep it without a block. */
export async function newOwner(): Promise<string> {
  self ??= `${machine()}.${process.pid}.${await startOf(process.pid)}`
  return `${self}.${randomBytes(6).toString('hex')}`
}

/** Whether the process of an owner is running; `null` when that cannot be known here, as for other machines. */
export async function isRunning(owner: string): Promise<boolean | null> {
  const [where, pid, start] = owner.split('.')
  if (where !== machine()) return null
  return (await startOf(Number(pid))) === start
}

/** When a process began, where the system tells: its id may come again. `null` once it is gone. */
async function startOf(pid: number): Promise<string | null> {
  if (!hasProc) return answersSignals(pid) ? '0' : null
  const stat = (await nullIf(['ENOENT', 'ESRCH'], readFile(`/proc/${pid}/stat`, 'latin1'))) ?? ''
  // The name before the bracket may hold anything.
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

/** Process ids mean something inside one boot and one id space only. */
function machine(): string {
  machineName ??= createHash('sha256').update(machineFacts()).digest('hex').slice(0, 12)
  return machineName
}

function machineFacts(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    // Only Linux tells, and not in every sandbox.
    return hostname()
  }
}
