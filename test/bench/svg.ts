/** SVG helpers for charts: theme-aware text, labelled axes and a description. */

export interface Frame {
  readonly title: string
  /** Alternative text. */
  readonly description: string
  readonly width: number
  readonly height: number
}

/** Transparent background: the page may be light or dark. */
const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600; font-size: 15px }
  .quiet { fill: #59636e; font-size: 12px }
  .grid { stroke: #d1d9e0; stroke-width: 1 }
  .ours { fill: #0969da } .other { fill: #818b98 }
  .line { fill: none; stroke-width: 2 }
  .line.ours { stroke: #0969da; fill: none } .line.other { stroke: #bc4c00; fill: none }
  .dot.other { fill: #bc4c00 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .quiet { fill: #9198a1 }
    .grid { stroke: #3d444d }
    .ours { fill: #4493f8 } .other { fill: #656c76 }
    .line.ours { stroke: #4493f8 } .line.other { stroke: #f0883e }
    .dot.other { fill: #f0883e }
  }`

export function svg(
  { title, description, width, height }: Frame,
  parts: readonly string[],
): string {
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title description">`,
    `<title id="title">${escape(title)}</title>`,
    `<desc id="description">${escape(description)}</desc>`,
    `<style>${STYLE}\n</style>`,
    text(0, 18, title, 'title'),
    ...parts,
    '</svg>',
  ].join('\n')}\n`
}

export function text(
  x: number,
  y: number,
  content: string,
  style = '',
  anchor: 'start' | 'middle' | 'end' = 'start',
): string {
  const attributes = `x="${pixel(x)}" y="${pixel(y)}"${style && ` class="${style}"`}`
  return `<text ${attributes} text-anchor="${anchor}">${escape(content)}</text>`
}

export function line(x1: number, y1: number, x2: number, y2: number): string {
  const [from, to] = [`x1="${pixel(x1)}" y1="${pixel(y1)}"`, `x2="${pixel(x2)}" y2="${pixel(y2)}"`]
  return `<line class="grid" ${from} ${to}/>`
}

export function pixel(value: number): string {
  return String(Math.round(value * 10) / 10)
}

function escape(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
