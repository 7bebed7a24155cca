/** Runs the commands of the README's picture in a service, each as it is shown. */
import { EventEmitter } from 'node:events'
import { createReadStream, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { runCommand } from '../../src/cli/command.ts'

/** A command and what the terminal showed, with its colours. */
export interface Step {
  readonly command: string
  readonly output: string
}

/** What nobody can know before is shown as these. */
const SHOWN = {
  origin: 'http://127.0.0.1:8787',
  id: 'fe65bd97d0ff8d1c6f2a9e04',
  time: '2026-11-17T09:00:00Z',
  token: '…',
}

const COMMANDS = [
  `moonbucket login ${SHOWN.origin} < key.txt`,
  'moonbucket put orders.csv data/orders.csv',
  'cat report.lua',
  'moonbucket run report.lua --remote',
  'moonbucket ls output',
  'moonbucket link output/report.md --ttl 3600',
  'moonbucket run report.lua --remote --background',
  `moonbucket logs -f ${SHOWN.id}`,
  'moonbucket runs',
]

const FILES = {
  'orders.csv': 'region,amount\nnorth,1200\nsouth,950\nnorth,310\n',
  'report.lua': `local count, total = 0, 0
for order in csv.rows("data/orders.csv", { header = true }) do
  count, total = count + 1, total + tonumber(order.amount)
end
print(count .. " orders")
file.save("output/report.md", "# Orders\\n\\nTotal: " .. total .. "\\n")
return { count = count, total = total }
`,
}

interface Service {
  readonly origin: string
  /** Of a caller without files and runs. */
  readonly key: string
}

/** @param folder An empty one. @throws if a command fails. */
export async function playSession({ origin, key }: Service, folder: string): Promise<Step[]> {
  for (const [name, text] of Object.entries({ ...FILES, 'key.txt': `${key}\n` })) {
    writeFileSync(join(folder, name), text)
  }
  let id = SHOWN.id
  const steps: Step[] = []
  for (const command of COMMANDS) {
    const line = command.replace(SHOWN.origin, origin).replace(SHOWN.id, id)
    const printed = await runLine(line, folder)
    id = /^[\da-f]{24}$/m.exec(printed)?.[0] ?? id
    const output = printed
      .replaceAll(origin, SHOWN.origin)
      .replaceAll(id, SHOWN.id)
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, SHOWN.time)
      .replaceAll(/(?<=token=)[\w.-]+/g, SHOWN.token)
    steps.push({ command, output })
  }
  return steps
}

/** Words without quotes, and perhaps `< FILE` at the end. */
async function runLine(line: string, folder: string): Promise<string> {
  const [words = '', input] = line.split(' < ')
  const [program, ...args] = words.split(' ')
  if (program === 'cat') return readFileSync(join(folder, args[0]!), 'utf8')
  const screen = makeScreen()
  const exitCode = await runCommand(args, {
    folder,
    env: { XDG_CONFIG_HOME: join(folder, 'config') },
    stdin: input === undefined ? Readable.from([]) : createReadStream(join(folder, input)),
    stdout: screen.stream,
    stderr: screen.stream,
    signals: new EventEmitter(),
    compileApis: () => Promise.reject(new Error('the folder describes no API')),
  })
  if (exitCode !== 0) throw new Error(`${line} exits with ${exitCode}: ${screen.text()}`)
  return screen.text()
}

/** A terminal, as the command sees it: with colours, names of files, and progress. */
function makeScreen() {
  let written = ''
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      written += chunk.toString()
      done()
    },
  })
  return {
    stream: Object.assign(stream, { isTTY: true }),
    // A progress bar erases its line before each drawing, and at the end.
    // oxlint-disable-next-line no-control-regex
    text: () => written.replaceAll(/[^\n]*\r\u001B\[K/g, ''),
  }
}
