/** Help texts of the command. */
import { DEFAULT_LIMITS, FUEL_PER_SECOND } from '../limits.ts'
import { remoteSummary } from './remote/commands.ts'

const { fuel, runMs, memoryBytes, writeBytes } = DEFAULT_LIMITS

const OPTIONS = `  --io-dir DIR      folder for the files, created when needed; default ./moonbucket-files
  --fuel N          how much a script may compute; default ${fuel}, about ${fuel / FUEL_PER_SECOND} s
  --timeout MS      how long it may take, including waits; default ${runMs}
  --memory BYTES    memory of its Lua VM; default and maximum ${memoryBytes}`

const SETTINGS = `Optional settings in the file moonbucket.toml in the current folder:

  [io]
  dir = "data"          # absolute, or below the current folder; --io-dir overrides it
  max_bytes = ${writeBytes}  # how much one run may write
  enabled = false       # no files, unless --io-dir is given

  [apis.shop]           # scripts call it as sdk.shop.<function>{…}
  spec = "shop.yaml"    # OpenAPI; or [mcp_servers.NAME] with a url
  auth = { type = "bearer", secret = "SHOP_TOKEN" }  # in the environment or in .env

Without APIs of your own, scripts can call a demo, sdk.shop.`

export const HELP = {
  moonbucket: `Runs Lua 5.4 scripts in a sandbox on this machine, with the files in one folder.

  moonbucket run SCRIPT   runs a script
  moonbucket mcp          lets AI agents run scripts, over MCP on standard input and output
  moonbucket types        writes definition files for editors

With a service (moonbucket run --remote runs scripts there):

${remoteSummary()}

  moonbucket run --help   shows the help for a command
  moonbucket --version

Example:
  echo 'io.open("hello.txt", "w"):write("Hello\\n"):close() return io.list()' | moonbucket run -`,

  run: `Runs one Lua script.

  moonbucket run SCRIPT [options]

SCRIPT is a file, or - for standard input. What the script prints goes to standard error as it happens. What it
returns goes to standard output: a string as it is, nil as nothing, anything else as one line of JSON.

  --args JSON       the global variable args of the script
  --json            prints the whole response: result, logs, files_touched and, if it failed, error
  --plan            stores nothing and sends only calls that read; prints what would be stored and called
  --remote          runs it in the service that moonbucket login signed in to
  --background      with --remote: prints the id of the run and does not wait; see moonbucket logs
  --profile NAME    with --remote: which service
${OPTIONS}

${SETTINGS}

Exit codes: 0; 1 if the script failed (files that it wrote are kept); 2 if it could not be started; 130 after Ctrl-C.

Example:
  moonbucket run squares.lua --args '{"count": 3}' --io-dir out`,

  mcp: `Serves MCP on standard input and output until the input ends, for AI agents on this machine.

  moonbucket mcp [options]

${OPTIONS}

${SETTINGS}

Example for the settings of an agent, which may start it in any folder:
  {"mcpServers": {"moonbucket": {"command": "sh", "args": ["-c", "cd /home/me/project && exec moonbucket mcp"]}}}`,

  types: `Writes definition files for editors with the Lua language server (LuaLS): everything that a script can use, and
the APIs in moonbucket.toml, with their documentation. Run it again when the APIs change.

  moonbucket types [options]

  --out DIR         folder for the files, created when needed; default .luals

It also writes .luarc.json, which tells editors where they are. If that file exists, it prints what to add.

Example:
  moonbucket types --out .luals`,
} as const
