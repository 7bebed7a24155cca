/** The tab's token, in session storage only. */
import { cell, type Cell } from '../page/cell.ts'

const KEY = 'moonbucket.token'

/** Empty if none. */
export function tokenSession(): Cell<string> {
  const token = cell(sessionStorage.getItem(KEY) ?? '')
  token.watch((value) => {
    if (value === '') sessionStorage.removeItem(KEY)
    else sessionStorage.setItem(KEY, value)
  })
  return token
}
