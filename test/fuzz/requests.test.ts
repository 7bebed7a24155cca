/** Bodies that no client sends. */
import { requests } from './requests.ts'
import { itHolds } from './short-run.ts'

itHolds('any body gets a documented answer that tells nothing it should not', 'requests', requests)
