/** The `moonbucket` command: runs scripts locally with a folder as the store. */
import { runCommand } from '../cli/command.ts'

const { stdin, stdout, stderr } = process

for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // The reader has closed the pipe, as in `moonbucket run rows.lua | head`.
    if (error.code !== 'EPIPE') throw error
  })
}

const terminal = { folder: process.cwd(), stdin, stdout, stderr, signals: process }
process.exitCode = await runCommand(process.argv.slice(2), terminal)
