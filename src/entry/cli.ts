/** `moonbucket`: scripts on one's own machine, in the same VM and by the same rules, with a folder as the store. */
import { VERSION } from '../version.ts'
import { HELP } from './cli-help.ts'
import { parseCommand, type Command } from './cli-options.ts'
import { UsageError } from './local-settings.ts'

const USAGE_EXIT_CODE = 2

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever read it has enough, as in `moonbucket run rows.lua | head`.
    if (error.code !== 'EPIPE') throw error
  })
}

try {
  process.exitCode = await perform(parseCommand(process.argv.slice(2)))
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(`moonbucket: ${error.message}`)
  process.exitCode = USAGE_EXIT_CODE
}

/** Gives the exit code. What a command needs is loaded with it: MCP would double the start of a run. */
async function perform(command: Command): Promise<number> {
  switch (command.name) {
    case 'help':
      console.info(HELP[command.topic])
      return 0
    case 'version':
      console.info(VERSION)
      return 0
    case 'run':
      return (await import('./cli-run.ts')).runScriptFile(command)
    case 'mcp':
      return (await import('./cli-mcp.ts')).serveMcp(command)
  }
}
