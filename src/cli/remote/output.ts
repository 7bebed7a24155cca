/** What remote commands print: JSON, tables, colours on terminals, and progress. */
import type { Writable } from 'node:stream'
import type { Terminal } from '../options.ts'

export const COLOURS = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34 } as const
export type Colour = keyof typeof COLOURS

/** Plain unless it is for a person: https://no-color.org */
export function paint({ env }: Terminal, stream: Writable, colour: Colour, text: string): string {
  return isTerminal(stream) && !env.NO_COLOR ? `\x1b[${COLOURS[colour]}m${text}\x1b[0m` : text
}

export function isTerminal(stream: object): boolean {
  return (stream as { readonly isTTY?: boolean }).isTTY === true
}

export function printJson({ stdout }: Terminal, value: unknown): void {
  stdout.write(`${JSON.stringify(value)}\n`)
}

/** Control characters of a name or a log line must not steer the terminal of who reads it. */
export function plain(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/[\0-\x08\x0b-\x1f\x7f-\x9f]/g, '\uFFFD')
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB']

export function sizeText(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1)
  const value = bytes / 1000 ** power
  return `${power === 0 ? value : value.toFixed(1)} ${UNITS[power]}`
}

const BAR_WIDTH = 30
const REDRAW_MS = 100

/** Draws on standard error while bytes move; only on terminals. */
export function progressBar({ stderr }: Terminal, name: string, total: number | undefined) {
  if (!isTerminal(stderr)) return { update: () => undefined, end: () => undefined }
  let drawn = 0
  const draw = (bytes: number) => {
    const share = total ? Math.min(bytes / total, 1) : undefined
    const filled = Math.round((share ?? 0) * BAR_WIDTH)
    const bar = `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}]`
    const part = share === undefined ? '' : `${bar} ${Math.floor(share * 100)}% `
    stderr.write(`\r\x1b[K${plain(name)} ${part}${sizeText(bytes)}`)
  }
  return {
    update(bytes: number) {
      if (Date.now() - drawn < REDRAW_MS && bytes !== total) return
      drawn = Date.now()
      draw(bytes)
    },
    end: () => void stderr.write('\r\x1b[K'),
  }
}
