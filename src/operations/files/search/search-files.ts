/** Searches the lines of files with a regular expression. */
import * as z from 'zod'
import type { FolderPath, VirtualPath } from '../../../files/path.ts'
import { openCallerFiles, type CallerFiles } from '../../caller-files.ts'
import { cursorField, limitField, textField } from '../../fields.ts'
import { operation, READS_ONLY } from '../../operation.ts'
import { parseGlob, type Glob } from '../glob.ts'
import { assertFolder } from '../list-files.ts'
import { compilePattern } from './line-pattern.ts'
import { cursorOf, parseSearchCursor, questionHash, type SearchPosition } from './search-cursor.ts'
import { FileSearch, SEARCH_BYTES, type OpenedFile } from './search-file.ts'

/** Of one request: entries of listings, and files opened. */
const MAX_LISTED = 20_000
const MAX_FILES = 1_000
/** Workers have six connections. */
const OPENED_AHEAD = 4
/** Names of binary files in one answer. */
const MAX_SKIPPED = 20
const MAX_PATTERN_LENGTH = 1_000
const MAX_CONTEXT = 10

const textsOfContext = () => z.array(z.string()).optional().describe('Lines of context.')

const input = () =>
  z.strictObject({
    pattern: textField()
      .min(1, 'must not be empty')
      .max(MAX_PATTERN_LENGTH, `must have at most ${MAX_PATTERN_LENGTH} characters`)
      .describe('Such as (?i)^total: \\d+'),
    path: textField().optional().describe('A file or folder.'),
    glob: textField()
      .min(1, 'must not be empty')
      .max(512, 'must have at most 512 characters')
      .optional()
      .describe('Such as **/*.csv'),
    context: z
      .int('must be a whole number')
      .min(0, 'must be at least 0')
      .max(MAX_CONTEXT, `must be at most ${MAX_CONTEXT}`)
      .default(0)
      .describe('Lines around each match.'),
    limit: limitField(100).describe('Lines in one response.'),
    cursor: cursorField(),
  })

export const searchFiles = operation({
  name: 'search',
  route: 'POST /fs/search',
  tool: 'file_search',
  title: 'Search files',
  description: 'Finds lines by a regular expression (RE2). Continue with cursor until it is null.',
  scopes: ['files:read'],
  hints: READS_ONLY,
  forModels: { defaults: { limit: 50 } },
  input,
  output: () =>
    z.strictObject({
      matches: z
        .array(
          z.strictObject({
            path: z.string().describe('The file.'),
            line: z.int().describe('From 1 on.'),
            text: z.string().describe('The line.'),
            before: textsOfContext(),
            after: textsOfContext(),
          }),
        )
        .describe('By path and line.'),
      files: z.int().describe('Number of files searched.'),
      skipped: z.array(z.string()).describe('Some of the binary files, which are not searched.'),
      cursor: z.string().nullable().describe('Null at the end.'),
    }),

  async run(ctx, { pattern, glob, context, limit, ...sent }) {
    const files = await openCallerFiles(ctx)
    const folder = files.parseFolder(sent.path)
    const type = await files.typeOf(folder)
    if (type === null) await assertFolder(files, folder)
    const question = await questionHash([folder, pattern, glob])
    const position =
      sent.cursor === undefined
        ? undefined
        : parseSearchCursor(files, folder, question, sent.cursor)
    const search = new FileSearch(files, {
      pattern: await compilePattern(pattern),
      lua: ctx.service.lua,
      context,
      limit,
      until: Date.now() + ctx.service.config.limits.runMs / 2,
    })
    await ctx.memory?.holdFile(SEARCH_BYTES)
    const wanted = glob === undefined ? null : parseGlob(glob)
    const found =
      type === 'file' ? itself(folder, position) : candidates(files, folder, wanted, position)
    return searchAll(found, search, question)
  },
})

/** What is to be searched next, or where the listing had to stop. */
type Candidate =
  | { readonly path: VirtualPath; readonly inFile: SearchPosition['inFile'] }
  | { readonly stopAfter: VirtualPath }

/** For a search in one file. */
async function* itself(
  path: FolderPath,
  position: SearchPosition | undefined,
): AsyncGenerator<Candidate> {
  const isDone = position?.inFile === null
  if (!isDone) yield { path: path as VirtualPath, inFile: position?.inFile ?? null }
}

async function* candidates(
  files: CallerFiles,
  folder: FolderPath,
  glob: Glob | null,
  position: SearchPosition | undefined,
): AsyncGenerator<Candidate> {
  if (position?.inFile) yield { path: position.path, inFile: position.inFile }
  const startAfter = position && ({ path: position.path, type: 'file' } as const)
  const prefixLength = folder === '' ? 0 : folder.length + 1
  let listed = 0
  for await (const { path, type } of files.list(folder, { recursive: true, startAfter })) {
    const isWanted =
      type === 'file' &&
      files.canSpell(path) &&
      (glob === null || glob.matches(path.slice(prefixLength)))
    if (isWanted) yield { path, inFile: null }
    // A cursor must be a valid path.
    if (++listed >= MAX_LISTED && files.canSpell(path)) return yield { stopAfter: path }
  }
}

async function searchAll(found: AsyncIterable<Candidate>, search: FileSearch, question: string) {
  const skipped: string[] = []
  let opened = 0
  let binary = 0
  let stop: SearchPosition | null = null
  for await (const next of openedAhead(found, search)) {
    if ('stopAfter' in next) {
      stop = { path: next.stopAfter, inFile: null }
      break
    }
    const { path } = next
    const outcome = await search.searchFile(next)
    opened++
    if (outcome === 'binary' && binary++ < MAX_SKIPPED) skipped.push(path)
    const isDone = typeof outcome === 'string'
    if (!isDone || search.isOver || opened >= MAX_FILES) {
      stop = { path, inFile: isDone ? null : outcome }
      break
    }
  }
  return {
    matches: search.matches,
    files: opened - binary,
    skipped,
    cursor: stop && cursorOf(question, stop),
  }
}

type Opened = OpenedFile | Extract<Candidate, { readonly stopAfter: VirtualPath }>

/** Opens the next files while one is searched, to hide the store's latency. */
async function* openedAhead(
  found: AsyncIterable<Candidate>,
  search: FileSearch,
): AsyncGenerator<Opened> {
  const left = found[Symbol.asyncIterator]()
  const opening: Promise<Opened | null>[] = []
  try {
    for (let isEnd = false; ;) {
      while (!isEnd && opening.length < OPENED_AHEAD) {
        const { value, done } = await left.next()
        isEnd = done === true
        if (!isEnd) opening.push(openOne(value as Candidate, search))
      }
      if (opening.length === 0) return
      const opened = await opening[0]
      void opening.shift()
      if (opened) yield opened
    }
  } finally {
    await Promise.all(opening.map(close))
    await left.return?.()
  }
}

function openOne(candidate: Candidate, search: FileSearch): Promise<Opened | null> {
  if ('stopAfter' in candidate) return Promise.resolve(candidate)
  const opened = search.open(candidate.path, candidate.inFile)
  // Noticed when its turn comes, which may be never.
  opened.catch(() => undefined)
  return opened
}

async function close(opening: Promise<Opened | null>): Promise<void> {
  const opened = await opening.catch(() => null)
  if (opened && 'body' in opened) await opened.body.cancel().catch(() => undefined)
}
