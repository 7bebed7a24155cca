/** Writes a catalog as a module of JSON strings, parsed on demand. */
import type { CatalogTexts } from '../../../src/sdk/catalog/catalog.ts'

export function writeModule({ apis, index, calls, types }: CatalogTexts): string {
  const fields = {
    apis: literal(apis),
    index: record(index),
    calls: record(calls),
    types: record(types),
  }
  const lines = Object.entries(fields).map(([name, value]) => `  ${name}: ${value},\n`)
  return `export const compiled = {\n${lines.join('')}}\n`
}

function record(texts: Readonly<Record<string, string>>): string {
  const lines = Object.entries(texts).map(([name, text]) => `    ${name}: ${literal(text)},\n`)
  return lines.length === 0 ? '{}' : `{\n${lines.join('')}  }`
}

/** Single quotes: JSON is full of double ones. */
function literal(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`
}
