/** Owners whose names are made to be mistaken. */
import { keys } from './keys.ts'
import { itHolds } from './short-run.ts'

itHolds('no two owners share a key or reach each other', 'keys', keys)
