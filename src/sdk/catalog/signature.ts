/** One-line function signatures for people and models. */
import type { ApiInfo, CallEntry } from './catalog.ts'
import { keysOf } from '../call/check-arguments.ts'
import { openParams } from './reserved-names.ts'

/** `{ owner: string, body: NewIssue } → Issue`; without what a script may not set. */
export function signatureOf(api: ApiInfo, entry: CallEntry): string {
  if (entry.signature !== undefined) return entry.signature
  const { body, returns } = entry
  const fields = openParams(api, entry).map((param) => {
    const [own, inLua] = keysOf(param)
    return `${isName(own!) ? own : inLua}${param.isRequired ? '' : '?'}: ${param.type}`
  })
  if (body) fields.push(`body${body.isRequired ? '' : '?'}: ${body.type}`)
  const table = fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
  return returns === undefined ? table : `${table} → ${returns}`
}

function isName(text: string): boolean {
  return /^[A-Za-z_]\w*$/.test(text)
}
