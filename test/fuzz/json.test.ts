/** JSON as Lua and as JavaScript read it. */
import { json } from './json.ts'
import { itHolds } from './short-run.ts'

itHolds('Lua and JavaScript agree on every text and every value', 'json', json)
