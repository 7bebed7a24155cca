/** Tokens and links that nobody gave out. */
import { itHolds } from './short-run.ts'
import { jwts, links } from './tokens.ts'

itHolds('no token that was changed or made up verifies', 'jwts', jwts)
itHolds('no link opens anything but what it was made for', 'links', links)
