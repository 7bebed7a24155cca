/** Files under random hands. */
import { files } from './files.ts'
import { itHolds } from './short-run.ts'

itHolds('any work on files gives what POSIX gives, down to the store', 'files', files)
