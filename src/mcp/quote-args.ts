/** Keeps the `args` of scripts as they were written on their way through the protocol's library. */
import { endOfString } from '../parse-json.ts'
import { quoteField } from '../quote-field.ts'

const quoteOne = quoteField('params', 'arguments', 'args')

/** Makes `args` a string that holds its JSON text, in a message or in each one of a batch. */
export function quoteArgs(text: string): string {
  // A key may be written with escapes.
  if (!/"args"|\\u/.test(text)) return text
  return /^\s*\[/.test(text) ? quoteEach(text) : quoteOne(text)
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
