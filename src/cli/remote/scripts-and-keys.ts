/** `moonbucket scripts` and `moonbucket keys`. */
import type { Moonbucket, RunAnswer } from '../../client/index.ts'
import { UsageError } from '../../errors.ts'
import { isJson } from '../../lib/json/parse-json.ts'
import type { Terminal } from '../options.ts'
import { resultText } from '../script-file.ts'
import type { RemoteAction, RemoteInput } from './commands.ts'
import { plain, printJson } from './output.ts'
import { reportError } from './runs.ts'
import { openSession } from './session.ts'

const clientOf = ({ values: { profile } }: RemoteInput, terminal: Terminal) =>
  openSession(terminal, typeof profile === 'string' ? profile : undefined).client

export const scripts: RemoteAction = async (input, terminal, signal) => {
  const { words, values } = input
  const [name] = words
  const client = clientOf(input, terminal)
  if (name !== undefined) return runSaved(client, name, input, terminal, signal)
  const rows = await allPages(async (cursor) => {
    const { scripts: page, next } = await client.scripts.list({ cursor }, { signal })
    return { rows: page, next }
  })
  if (values.json) printJson(terminal, rows)
  else {
    for (const { name: saved, description, problem } of rows) {
      const text = problem === undefined ? description : `does not run: ${problem}`
      terminal.stdout.write(plain(`${saved.padEnd(24)}  ${text}`).trimEnd() + '\n')
    }
  }
  return 0
}

async function runSaved(
  client: Moonbucket,
  name: string,
  { values: { args, json } }: RemoteInput,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  if (args !== undefined && !isJson(String(args))) {
    throw new UsageError(`--args must be JSON, such as '{"count": 3}'`)
  }
  const given = args === undefined ? {} : { args: JSON.parse(String(args)) as unknown }
  const answer: RunAnswer = await client.scripts.run({ name, ...given }, { signal })
  for (const line of answer.logs) terminal.stderr.write(`${plain(line)}\n`)
  if (json) printJson(terminal, answer)
  else terminal.stdout.write(resultText(JSON.stringify(answer.result)))
  return reportError(answer, terminal)
}

export const keys: RemoteAction = async (input, terminal, signal) => {
  const [action = 'list', id] = input.words
  const client = clientOf(input, terminal)
  const { json } = input.values
  if (action === 'create' && id === undefined) {
    const made = await client.keys.create(newKey(input), { signal })
    if (json) printJson(terminal, made)
    else terminal.stdout.write(`${made.key}\n`)
    return 0
  }
  if (action === 'revoke' && id !== undefined) {
    const revoked = await client.keys.revoke({ id }, { signal })
    if (json) printJson(terminal, revoked)
    else terminal.stdout.write(`${revoked.id}: revoked\n`)
    return 0
  }
  if (action !== 'list' || id !== undefined) {
    throw new UsageError('keys takes create, or revoke with an ID; see moonbucket keys --help')
  }
  const rows = await allPages(async (cursor) => {
    const { keys: page, next } = await client.keys.list({ cursor }, { signal })
    return { rows: page, next }
  })
  if (json) printJson(terminal, rows)
  else {
    for (const { id: key, name, scopes } of rows) {
      terminal.stdout.write(`${key}  ${plain(name ?? '').padEnd(20)}  ${scopes.join(',')}\n`)
    }
  }
  return 0
}

type NewKey = NonNullable<Parameters<Moonbucket['keys']['create']>[0]>

/** The service checks what is in the lists. @throws {UsageError} */
function newKey({ values: { name, user, scopes, paths, ttl } }: RemoteInput): NewKey {
  if (ttl !== undefined && !/^\d+$/.test(String(ttl))) {
    throw new UsageError('--ttl must be a number of seconds')
  }
  const list = (value: string | boolean | undefined) => String(value).split(',')
  return {
    ...(name !== undefined && { name: String(name) }),
    ...(user !== undefined && { user: String(user) }),
    ...(scopes !== undefined && { scopes: list(scopes) as NonNullable<NewKey['scopes']> }),
    ...(paths !== undefined && { paths: list(paths) }),
    ...(ttl !== undefined && { ttl_s: Number(ttl) }),
  }
}

async function allPages<Row>(
  load: (cursor: string | undefined) => Promise<{ rows: Row[]; next?: string | undefined }>,
): Promise<Row[]> {
  const all: Row[] = []
  let cursor: string | undefined
  do {
    const { rows, next } = await load(cursor)
    all.push(...rows)
    cursor = next
  } while (cursor !== undefined)
  return all
}
