/** A function in one line, as a model or a person reads it. */
import type { CallEntry } from './catalog.ts'
import { keysOf } from './check-arguments.ts'

/** `{ owner: string, state?: "open" | "closed", body: NewIssue } → Issue`; what the operator fixed is not shown. */
export function signatureOf({ params, body, returns }: CallEntry): string {
  const open = params.filter(({ frozen }) => frozen === undefined)
  const fields = open.map((param) => {
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
