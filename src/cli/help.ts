/** Help texts of the command. */
import { DEFAULT_LIMITS, FUEL_PER_SECOND } from '../limits.ts'

const { fuel, runMs, memoryBytes, writeBytes } = DEFAULT_LIMITS

const LIMITS = `  --fuel N          work the script may do; default ${fuel}, about ${fuel / FUEL_PER_SECOND} s
  --timeout MS      time it may take, waiting included; default ${runMs}
  --memory BYTES    of its Lua VM; default, and the most there is, ${memoryBytes}`

const SETTINGS = `The file moonbucket.toml in the current folder may hold, all of it optional:

  [io]
  dir = "data"          # absolute, or below the current folder; --io-dir goes first
  max_bytes = ${writeBytes}  # what one run may write
  enabled = false       # no files at all, unless --io-dir is given

  [apis.shop]           # scripts call it as sdk.shop.<function>{…}
  spec = "shop.yaml"    # OpenAPI; or [mcp_servers.NAME] with a url
  auth = { type = "bearer", secret = "SHOP_TOKEN" }  # in the environment or in .env

Without APIs of your own, scripts can call a demo, sdk.shop.`

export const HELP = {
  moonbucket: `Runs Lua 5.4 scripts on this machine in a sandbox; their files are those of one folder.

  moonbucket run SCRIPT   runs a script
  moonbucket mcp          offers the same to AI agents, over MCP on standard input and output

  moonbucket run --help   explains a command
  moonbucket --version

Example:
  echo 'io.open("hello.txt", "w"):write("Hello\\n"):close() return io.list()' | moonbucket run -`,

  run: `Runs one Lua script.

  moonbucket run SCRIPT [options]

SCRIPT is a file, or - for standard input. What the script prints goes to standard error as it comes, what it
returns to standard output: text as it is, anything else as JSON in one line, nil as nothing.

  --io-dir DIR      the folder of its files, made with the first of them; default ./moonbucket-files
  --args JSON       the global args of the script
  --json            prints the whole answer: result, logs, files_touched and, if it failed, error
${LIMITS}

${SETTINGS}

Exit codes: 0, 1 if the script failed (what it wrote is kept), 2 if it could not be started, 130 after Ctrl-C.

Example:
  moonbucket run squares.lua --args '{"count": 3}' --io-dir out`,

  mcp: `Speaks MCP over standard input and output until the input ends, for AI agents on this machine.

  moonbucket mcp [options]

  --io-dir DIR      the folder of the files, made with the first of them; default ./moonbucket-files
${LIMITS}

${SETTINGS}

Example, in the settings of an agent; it may start this anywhere, so name the folder in full:
  {"mcpServers": {"moonbucket": {"command": "npx", "args": ["moonbucket", "mcp", "--io-dir", "/home/me/data"]}}}`,
} as const
