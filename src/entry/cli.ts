/** `moonbucket`: scripts on one's own machine, in the same VM and by the same rules, with a folder as the store. */
import { runCommand } from '../cli/command.ts'

const { stdin, stdout, stderr } = process

for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever read it has enough, as in `moonbucket run rows.lua | head`.
    if (error.code !== 'EPIPE') throw error
  })
}

const terminal = { folder: process.cwd(), stdin, stdout, stderr, signals: process }
process.exitCode = await runCommand(process.argv.slice(2), terminal)
