/** Paths nobody would think of. */
import { paths } from './paths.ts'
import { itHolds } from './short-run.ts'

itHolds(
  'any path is refused with the documented sentence, or stays inside, as text and as bytes',
  'paths',
  paths,
)
