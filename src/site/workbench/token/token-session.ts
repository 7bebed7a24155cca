/** The token of this tab: kept in its session and nowhere else, so that it goes when the tab goes. */
import { cell, type Cell } from '../page/cell.ts'

const KEY = 'moonbucket.token'

/** Empty when there is none. */
export function tokenSession(): Cell<string> {
  const token = cell(sessionStorage.getItem(KEY) ?? '')
  token.watch((value) => {
    if (value === '') sessionStorage.removeItem(KEY)
    else sessionStorage.setItem(KEY, value)
  })
  return token
}
