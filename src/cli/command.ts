/** Runs commands and reports usage errors. */
import { VERSION } from '../version.ts'
import { UsageError } from '../errors.ts'
import { HELP } from './help.ts'
import { parseCommand, type Command, type Terminal } from './options.ts'

const USAGE_EXIT_CODE = 2

/** Returns the exit code. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await perform(parseCommand(args), terminal)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    terminal.stderr.write(`moonbucket: ${error.message}\n`)
    return USAGE_EXIT_CODE
  }
}

/** Lazy imports: MCP would double the start-up time of a run. */
async function perform(command: Command, terminal: Terminal): Promise<number> {
  switch (command.name) {
    case 'help':
      terminal.stdout.write(`${HELP[command.topic]}\n`)
      return 0
    case 'version':
      terminal.stdout.write(`${VERSION}\n`)
      return 0
    case 'run':
      return (await import('./run.ts')).runScriptFile(command, terminal)
    case 'mcp':
      return (await import('./mcp.ts')).serveMcp(command, terminal)
    case 'types':
      return (await import('./types/write-types.ts')).writeTypes(command, terminal)
  }
}
