/** Runs commands and reports usage errors. */
import { VERSION } from '../version.ts'
import { UsageError } from '../errors.ts'
import { HELP } from './help.ts'
import { parseCommand, type Command, type RunOptions, type Terminal } from './options.ts'
import { remoteHelp } from './remote/commands.ts'

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
    case 'remote-help':
      terminal.stdout.write(`${remoteHelp(command.command)}\n`)
      return 0
    case 'remote': {
      const { performRemote } = await import('./remote/perform.ts')
      return performRemote(command.command, command.input, terminal)
    }
    case 'run':
      if (command.isRemote) return runInService(command, terminal)
      return (await import('./run.ts')).runScriptFile(command, terminal)
    case 'mcp':
      return (await import('./mcp.ts')).serveMcp(command, terminal)
    case 'types':
      return (await import('./types/write-types.ts')).writeTypes(command, terminal)
  }
}

async function runInService(options: RunOptions, terminal: Terminal): Promise<number> {
  const [{ withSignals }, { runRemote }] = await Promise.all([
    import('./remote/perform.ts'),
    import('./remote/runs.ts'),
  ])
  return withSignals(terminal, (signal) => runRemote(options, terminal, signal))
}
