/** The response of a run: its schemas for programs and for models. */
import * as z from 'zod'
import type { TouchedFile } from '../../files/run/files-touched.ts'
import { once } from '../../lib/once.ts'
import { SCRIPT_ERROR_KINDS } from '../../vm/script-error.ts'
import type { DeepReadonly } from '../operation.ts'

/** Links are present only if there is something to open. */
const fileRow = once(() =>
  z.strictObject({
    name: z.string().describe('The path, normalised.'),
    op: z
      .enum(['write', 'append', 'remove'])
      .describe('What happened to it, as of the end of the run.'),
    bytes: z.int().describe('Size of the whole file; 0 if it was removed.'),
    stored: z.literal(false).optional().describe('Present only if the file could not be stored.'),
    url: z
      .string()
      .optional()
      .describe('Opens the file; presigned by the store, or the same as link.'),
    url_expires_at: z.string().optional(),
    link: z
      .string()
      .optional()
      .describe(
        'A short link to this service, for people and models. Without files:read, it opens only what this run wrote, and is absent for files with other content.',
      ),
    expires_at: z.string().optional().describe('When the link expires.'),
  }),
)

const scriptError = once(() =>
  z.strictObject({
    kind: z.enum(SCRIPT_ERROR_KINDS),
    message: z.string(),
    line: z.int().optional(),
    traceback: z.string().optional(),
  }),
)

/** What a run would do to a file. */
const plannedRow = once(() =>
  fileRow()
    .pick({ name: true, op: true, bytes: true, stored: true })
    .extend({
      sha256: z
        .string()
        .optional()
        .describe(
          'Hex. Without files:read, only of files whose content is all the script\u2019s own.',
        ),
      diff: z.string().optional().describe('Unified, for small texts; needs files:read.'),
    }),
)

const plan = once(() =>
  z.strictObject({
    complete: z
      .boolean()
      .describe('false if calls were not sent, or the script read a file too large to keep.'),
    files: z.array(plannedRow()).describe('What would be changed, by name.'),
    unsent_calls: z
      .array(
        z.strictObject({
          api: z.string().describe('The name of the API.'),
          function: z.string().describe('Without the name of the API.'),
          method: z.string().describe('Such as POST.'),
          count: z.int().describe('How often it was called.'),
        }),
      )
      .describe('Calls that may change something; the script got {} for each.'),
    more_files: z.int().optional(),
  }),
)

/** The fields for programs and for models together. */
const answer = once(() =>
  z.strictObject({
    result: z.unknown().describe('The first value that the script returned, or null.'),
    result_file: z
      .string()
      .optional()
      .describe('The file with a result that is too large; result has its beginning.'),
    logs: z.array(z.string()).describe('The lines that the script printed.'),
    logs_file: z.string().optional(),
    files_touched: z.array(fileRow()).describe('Every file that the run changed, by name.'),
    more_files: z
      .strictObject({ count: z.int(), folder: z.string(), link: z.string().optional() })
      .optional(),
    error: scriptError()
      .optional()
      .describe(
        'Present only if the script failed; logs and files_touched are present either way.',
      ),
    plan: plan().optional(),
  }),
)

/** For programs: complete logs, and a row for every file. */
export const runAnswer = once(() =>
  answer()
    .omit({ logs_file: true, more_files: true })
    .extend({
      plan: plan()
        .omit({ more_files: true })
        .optional()
        .describe('Present only with plan: nothing was stored.'),
    }),
)

/** For models: no presigned URLs, which are long and which models corrupt when copying. */
export const modelAnswer = once(() =>
  answer().extend({
    result: z.unknown().meta({ type: ['object', 'array', 'string', 'number', 'boolean', 'null'] }),
    files_touched: z.array(fileRow().omit({ url: true, url_expires_at: true })),
    error: scriptError().extend({ kind: z.string() }).optional(),
    // These explain themselves, and are seldom there.
    more_files: z.looseObject({}).optional(),
    plan: z.looseObject({}).optional(),
  }),
)

export type RunAnswer = DeepReadonly<z.output<ReturnType<typeof runAnswer>>>

/** One row of a plan. */
export type PlannedRow = Readonly<z.output<ReturnType<typeof plannedRow>>>

/** One row of `files_touched`. */
export type FileRow = Readonly<z.output<ReturnType<typeof fileRow>>>

/** With the result as JSON text, to be passed on unchanged. */
export type ExecuteAnswer = DeepReadonly<Omit<z.output<ReturnType<typeof answer>>, 'result'>> & {
  readonly resultJson: string
}

/** Without links and internal fields. */
export function rowWithoutLinks({ name, op, bytes, stored }: TouchedFile): FileRow {
  return { name, op, bytes, ...(stored === false && { stored }) }
}

/** For a record: links are made anew for each reader. */
export interface RecordedRow extends FileRow {
  /** Pins the links of readers without `files:read`; absent if the content is not all the run's. */
  readonly writeId?: string | undefined
}

export function recordedRow(row: TouchedFile, writeId: string | undefined): RecordedRow {
  return { ...rowWithoutLinks(row), ...(writeId !== undefined && { writeId }) }
}
