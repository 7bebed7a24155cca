/** Preserves the raw JSON of script `args` through the MCP library. */
import { endOfString, isJson } from '../lib/json/parse-json.ts'
import { scanJson } from '../lib/json/scan-json.ts'

const PATH = ['params', 'arguments', 'args']

/**
 * Replaces `params.arguments.args` by a string of its JSON text, in a message or each one of a
 * batch: reserializing would change large integers. Other text is returned unchanged.
 */
export function quoteArgs(text: string): string {
  // The key may be written with escapes.
  if (!/"args"|\\u/.test(text)) return text
  return /^\s*\[/.test(text) ? quoteEach(text) : quoteOne(text)
}

function quoteOne(text: string): string {
  let start = 0
  let value = text
  for (const name of PATH) {
    const { field, fieldAt } = scanJson(value, name)
    if (field === undefined) return text
    start += fieldAt!
    value = field
  }
  if (!isJson(value)) return text
  return text.slice(0, start) + JSON.stringify(value) + text.slice(start + value.length)
}

function quoteEach(batch: string): string {
  let quoted = ''
  let depth = 0
  let start = 0
  let open = 0
  for (let at = 0; at < batch.length; at++) {
    const character = batch[at]
    if (character === '"') at = endOfString(batch, at)
    else if (character === '{' || character === '[') {
      if (++depth === 2) open = at
    } else if ((character === '}' || character === ']') && --depth === 1) {
      quoted += batch.slice(start, open) + quoteOne(batch.slice(open, at + 1))
      start = at + 1
    }
  }
  return quoted + batch.slice(start)
}
