/** Formats sizes, times and counts. */

const UNITS = ['B', 'KB', 'MB', 'GB']

/** `12 B`, `4.2 KB`, `17 MB`. */
export function formatBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(1024)), 3)
  const value = bytes / 1024 ** power
  const digits = power > 0 && value < 10 ? 1 : 0
  return `${value.toFixed(digits)} ${UNITS[power]}`
}

/** `480 ms`, `2.4 s`. */
export function formatMs(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

/** `< 1 s`, `12 s`, `3 min 5 s`. */
export function formatElapsed(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  if (seconds < 60) return seconds < 1 ? '< 1 s' : `${seconds} s`
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** `1,234,567`. */
function formatCount(count: number): string {
  return count.toLocaleString('en-US')
}

/** `1 line`, `3 lines`. */
export function countOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** `12.3 M`. */
export function formatLarge(count: number): string {
  if (count < 10_000) return formatCount(count)
  if (count < 1_000_000) return `${(count / 1000).toFixed(0)} k`
  return `${(count / 1_000_000).toFixed(count < 100_000_000 ? 1 : 0)} M`
}

/** `in 59 minutes`, `2 days ago`. */
export function formatWhen(at: Date, now: Date): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1000)
  const words = new Intl.RelativeTimeFormat('en', { numeric: 'always' })
  const amount = Math.abs(seconds)
  if (amount < 90) return words.format(seconds, 'second')
  if (amount < 5400) return words.format(Math.round(seconds / 60), 'minute')
  if (amount < 129_600) return words.format(Math.round(seconds / 3600), 'hour')
  return words.format(Math.round(seconds / 86_400), 'day')
}
