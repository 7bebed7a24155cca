/** Runs the script on standard input in this process, which has run nothing before, and prints the outcome. */
import { text } from 'node:stream/consumers'
import { peakBytes } from '../../support/peak-bytes.ts'
import { runLua } from '../../support/run-lua.ts'

const fuel = Number(process.argv[2])
const outcome = await runLua(await text(process.stdin), { limits: { fuel } })
console.info(JSON.stringify({ ...outcome, peakBytes: peakBytes() }))
