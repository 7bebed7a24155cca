/** Peak memory of this process. Node only. */
import { existsSync, readFileSync } from 'node:fs'

const STATUS = '/proc/self/status'

/** On Linux, `resourceUsage` includes the peak inherited from the parent process. */
export function peakBytes(): number {
  const status = existsSync(STATUS) ? readFileSync(STATUS, 'utf8') : ''
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS
  return Number(kilobytes) * 1024
}
