/** What pages say about files: sizes, times and links, in HTML. */
import { escapeHtml } from '../../lib/html.ts'
import { timestamp } from '../../operations/timestamp.ts'

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB']

/** At most three digits, in powers of ten; `value` has the exact size. */
export function sizeOf(bytes: number): string {
  return `<data value="${bytes}">${sizeText(bytes)}</data>`
}

function sizeText(bytes: number): string {
  const unit = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1)
  const amount = bytes / 1000 ** unit
  const digits = unit === 0 || amount >= 10 ? 0 : 1
  return bytes === 1 ? '1 byte' : `${amount.toFixed(digits)} ${UNITS[unit]}`
}

/** UTC: without scripts, the reader's time zone is unknown. */
export function timeOf(date: Date): string {
  const iso = timestamp(date)
  return `<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)}</time>`
}

/** The query alone, escaped: a relative link works under any base URL. */
export function hrefOf(link: string): string {
  return escapeHtml(link.slice(link.indexOf('?')))
}
