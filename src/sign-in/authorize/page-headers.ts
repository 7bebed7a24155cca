/** What every page of sign-in has: none may be framed, cached or seen in a referrer. */
import { pagePolicy } from '../../http/pages/page-frame.ts'

export const PAGE_HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': pagePolicy(),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}
