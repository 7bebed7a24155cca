/** The Worker as it is deployed, in a process that may be killed: prints where it answers, and lives as long as its input. */
import { startWorker } from '../start-worker.ts'

const [persist = ''] = process.argv.slice(2)
const { origin } = await startWorker({ persist })
console.info(origin)
// Whoever started it may be killed as well.
process.stdin.on('end', () => process.exit()).resume()
