/** Options and errors of our scripts: one line and exit code 1. */
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import { UsageError } from '../src/errors.ts'

export { UsageError }

/** Parses this process's options. `--help` prints `help` and exits. @throws {UsageError} */
export function readOptions<T extends ParseArgsOptionsConfig>(help: string, options: T) {
  return readArguments(help, options, false).values
}

/** As {@link readOptions}, with words beside the options. @throws {UsageError} */
export function readCommand<T extends ParseArgsOptionsConfig>(help: string, options: T) {
  return readArguments(help, options, true)
}

function readArguments<T extends ParseArgsOptionsConfig>(
  help: string,
  options: T,
  allowPositionals: boolean,
) {
  const all = { ...options, help: { type: 'boolean', short: 'h' } } as const
  const { values, positionals } = parse(all, allowPositionals)
  if ((values as { help?: boolean }).help) {
    console.info(help)
    process.exit(0)
  }
  return { values, positionals }
}

/** Prints a {@link UsageError} as one line. */
export async function run(name: string, main: () => Promise<void>): Promise<void> {
  try {
    await main()
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    console.error(`${name}: ${error.message}`)
    process.exit(1)
  }
}

function parse<T extends ParseArgsOptionsConfig>(options: T, allowPositionals: boolean) {
  try {
    return parseArgs({ args: joinNegatives(process.argv.slice(2)), options, allowPositionals })
  } catch (error) {
    // Strips Node's advice on positional arguments.
    const [problem] = (error as Error).message.split(/\.? (?=To specify|This command)|\n/)
    throw new UsageError(`${problem}; --help lists the options`)
  }
}

/** `--ttl -5` → `--ttl=-5`: `parseArgs` takes a dash for an option. */
function joinNegatives(args: readonly string[]): string[] {
  return args.reduce<string[]>((joined, arg) => {
    const previous = joined.at(-1)
    const isValue = /^-\d/.test(arg) && previous !== undefined && /^--[^=]+$/.test(previous)
    return isValue ? [...joined.slice(0, -1), `${previous}=${arg}`] : [...joined, arg]
  }, [])
}
