/** Finds autolinks: in angle brackets, and bare URLs and mail addresses. */
import { matchAt } from './targets.ts'

/** Captures a URL or a mail address. */
const ANGLE = /<(?:([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*)|([\w.!#$%&'*+/=?^`{|}~-]+@[\w.-]+))>/y
const PREFIX = /https?:\/\/|www\./iy
const DOMAIN = /[\p{L}\p{N}._-]+/uy
const PATH = /[^\s<]*/y
const MAIL_NAME = /[\w.+-]+/y
const MAIL_DOMAIN = /@[\w-]+(?:\.[\w-]+)+/y

export interface Autolink {
  readonly length: number
  readonly text: string
  readonly href: string
}

/** `<https://…>` or `<a@b.c>`. */
export function angleLinkAt(source: string, at: number): Autolink | undefined {
  const found = matchAt(ANGLE, source, at)
  if (!found) return undefined
  const [whole, address, mail] = found
  const text = address ?? mail!
  return { length: whole.length, text, href: address ?? `mailto:${text}` }
}

/**
 * `www.…`, `https://…` or `a@b.c` at this position.
 *
 * @returns Otherwise the offset up to which no link starts, so no text is scanned twice.
 */
export function bareLinkAt(source: string, at: number): Autolink | number {
  const prefix = matchAt(PREFIX, source, at)?.[0]
  if (prefix === undefined) return mailAt(source, at)
  const isWeb = prefix.endsWith('/')
  const domainAt = isWeb ? at + prefix.length : at
  const domain = matchAt(DOMAIN, source, domainAt)?.[0] ?? ''
  const end = domainAt + domain.length
  const parts = withoutEnd(domain).split('.')
  if (
    parts.length < 2 ||
    parts.includes('') ||
    parts.slice(-2).some((part) => part.includes('_'))
  ) {
    return Math.max(end, at + prefix.length)
  }
  const text = trimmed(source.slice(at, end) + (matchAt(PATH, source, end)?.[0] ?? ''))
  return { length: text.length, text, href: isWeb ? text : `http://${text}` }
}

function mailAt(source: string, at: number): Autolink | number {
  const name = matchAt(MAIL_NAME, source, at)?.[0] ?? ''
  const domain = matchAt(MAIL_DOMAIN, source, at + name.length)?.[0]
  if (domain === undefined || name === '' || /[-_]$/.test(domain)) return at + name.length
  const text = name + domain
  return { length: text.length, text, href: `mailto:${text}` }
}

/** Trailing marks may close emphasis around the link. */
function withoutEnd(domain: string): string {
  let end = domain.length
  while (/[._-]/.test(domain[end - 1] ?? '')) end -= 1
  return domain.slice(0, end)
}

/** Strips trailing punctuation that belongs to the surrounding sentence. */
function trimmed(text: string): string {
  let surplus = text.replaceAll(/[^)]/g, '').length - text.replaceAll(/[^(]/g, '').length
  let end = text.length
  for (;;) {
    const last = text[end - 1]!
    if (/[?!.,:*_~'"\]]/.test(last)) end -= 1
    else if (last === ')' && surplus > 0) {
      surplus -= 1
      end -= 1
    } else if (last === ';') {
      let start = end - 2
      while (/[A-Za-z0-9]/.test(text[start] ?? '')) start -= 1
      if (text[start] !== '&' || start === end - 2) return text.slice(0, end)
      end = start
    } else return text.slice(0, end)
  }
}
