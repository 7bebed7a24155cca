/** Programs nobody would write. */
import { programs } from './programs.ts'
import { itHolds } from './short-run.ts'

itHolds(
  'any program ends with one outcome, within its limits, and with the same one again',
  'programs',
  programs,
)
