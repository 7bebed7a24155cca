/** The saved scripts that a caller may run: `GET /scripts` and the tool `list_saved_scripts`. */
import * as z from 'zod'
import type { FileEntry } from '../../files/store/list-area.ts'
import { openCallerFiles, type CallerFiles } from '../caller-files.ts'
import { cursorField } from '../fields.ts'
import { operation, READS_ONLY, type DeepReadonly } from '../operation.ts'
import type { RequestContext } from '../service.ts'
import { timestamp } from '../timestamp.ts'
import { describeScript, HEAD_BYTES } from './describe-script.ts'
import { scriptFolders, scriptName, scriptPath } from './saved-script.ts'

const MAX_ROWS = 100
const READ_AT_ONCE = 10
/** A page ends early once its rows have this many characters; one row has at most 16,000. */
const PAGE_LENGTH = 262_144
const MODEL_PAGE_LENGTH = 8192

const schemaField = () => z.record(z.string(), z.unknown())

const row = () =>
  z.strictObject({
    name: z.string().describe('The name to run it by.'),
    description: z.string().describe('From its first comment.'),
    schema: schemaField().describe('JSON Schema of args; empty if anything is accepted.'),
    returns: schemaField().optional().describe('JSON Schema of the result, if described.'),
    problem: z
      .string()
      .optional()
      .describe('What is wrong with its annotations; until it is corrected, it does not run.'),
    modified_at: z.string().describe('When it was last saved.'),
  })

type Row = DeepReadonly<z.output<ReturnType<typeof row>>>

const input = () =>
  z.strictObject({
    limit: z
      .int('must be a whole number')
      .min(1, 'must be at least 1')
      .max(MAX_ROWS, `must be at most ${MAX_ROWS}`)
      .default(50)
      .describe('Scripts in one response.'),
    cursor: cursorField(),
  })

type Input = z.output<ReturnType<typeof input>>

export const listSavedScripts = operation({
  name: 'list_saved_scripts',
  route: 'GET /scripts',
  tool: 'list_saved_scripts',
  title: 'List saved scripts',
  description:
    'The saved scripts that the caller may run: its own by name, then those in the shared folder, named `share/…`. A page may have fewer rows than `limit`; `next` is present while there are more.',
  scopes: ['execute', 'files:read'],
  hints: READS_ONLY,
  input,
  output: () =>
    z.strictObject({
      scripts: z.array(row()).describe('By name, the caller’s own first.'),
      next: z.string().optional().describe('The cursor of the next page.'),
    }),
  run: (ctx, sent) => listPage(ctx, sent, PAGE_LENGTH),

  forModels: {
    description: 'Scripts the user has saved, each with the JSON schema of its args.',
    input: () => input().pick({ cursor: true }),
    // Rows explain themselves.
    output: () =>
      z.object({
        scripts: z.array(z.looseObject({ name: z.string() })),
        next: z.string().optional(),
      }),
    run: (ctx, { cursor }) => listPage(ctx, { limit: MAX_ROWS, cursor }, MODEL_PAGE_LENGTH),
  },
})

async function listPage(ctx: RequestContext, { limit, cursor }: Input, maxLength: number) {
  const files = await openCallerFiles(ctx)
  const scripts: Row[] = []
  let last: string | undefined
  let length = 0
  for await (const found of batches(files, cursor)) {
    const rows = await Promise.all(found.map(({ name, entry }) => rowOf(files, name, entry)))
    for (const [at, made] of rows.entries()) {
      if (scripts.length === limit || length > maxLength) return { scripts, next: last! }
      last = found[at]!.name
      if (!made) continue
      scripts.push(made)
      length += JSON.stringify(made).length
    }
  }
  return { scripts }
}

interface Found {
  readonly name: string
  readonly entry: FileEntry
}

async function* batches(files: CallerFiles, cursor?: string): AsyncGenerator<readonly Found[]> {
  let batch: Found[] = []
  for await (const found of savedScripts(files, cursor)) {
    batch.push(found)
    if (batch.length < READ_AT_ONCE) continue
    yield batch
    batch = []
  }
  yield batch
}

/** In key order, after the script that the cursor names. @throws {InvalidPath} */
async function* savedScripts(files: CallerFiles, cursor?: string): AsyncGenerator<Found> {
  const after = cursor === undefined ? undefined : scriptPath(files, cursor)
  const folders = scriptFolders(files)
  const start = folders.findIndex((folder) => after?.startsWith(`${folder}/`))
  for (const folder of folders.slice(Math.max(0, start))) {
    const isResumed = after?.startsWith(`${folder}/`)
    const startAfter = isResumed ? { path: after!, type: 'file' as const } : undefined
    for await (const entry of files.list(folder, { recursive: true, startAfter })) {
      const name = entry.type === 'file' ? scriptName(files, entry.path) : undefined
      if (name !== undefined) yield { name, entry }
    }
  }
}

/** Reads no more than its head; `null` if it is gone by now. */
async function rowOf(
  files: CallerFiles,
  name: string,
  { path, modifiedAt }: FileEntry,
): Promise<Row | null> {
  const file = await files.get(path, { offset: 0, length: HEAD_BYTES })
  if (!file) return null
  const { description, schema, returns, problem } = describeScript(file.body, file.bytes)
  return {
    name,
    description,
    schema: { ...schema },
    ...(returns && { returns: { ...returns } }),
    ...(problem !== undefined && { problem }),
    modified_at: timestamp(modifiedAt!),
  }
}
