/** The logo: a moon in a bucket. */

const SVG = 'http://www.w3.org/2000/svg'

const SHAPES = [
  ['circle', { class: 'moon', cx: '16', cy: '12', r: '9' }],
  ['circle', { class: 'crater', cx: '13', cy: '9', r: '2' }],
  ['circle', { class: 'crater', cx: '19.5', cy: '11.5', r: '1.4' }],
  ['path', { class: 'bucket', d: 'M3.5 15.5h25l-3.2 14H6.7z' }],
] as const

export function logo(): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg')
  for (const [name, value] of Object.entries({
    viewBox: '0 0 32 32',
    class: 'logo',
    'aria-hidden': 'true',
  })) {
    svg.setAttribute(name, value)
  }
  for (const [tag, attributes] of SHAPES) {
    const shape = document.createElementNS(SVG, tag)
    for (const [name, value] of Object.entries(attributes)) shape.setAttribute(name, value)
    svg.append(shape)
  }
  return svg
}
