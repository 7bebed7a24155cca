/** Reads a document as text, by a run of its own: limits, threads and memory are those of runs. */
import * as z from 'zod'
import { AppError, type ErrorCode } from '../../errors.ts'
import { openCallerFiles, quoted } from '../caller-files.ts'
import { pathField, textField } from '../fields.ts'
import { operation, READS_ONLY } from '../operation.ts'
import { executeScript } from '../run/execute-script.ts'
import type { RequestContext } from '../service.ts'

const MAX_LENGTH = 32_768
/** A byte of text takes up to six in JSON. */
const RESULT_SHARE = 8

/** Bare errors come through `pcall`. A part begins and ends between characters. */
const SCRIPT = `
local ok, text = pcall(document.text, args.path, { pages = args.pages })
if not ok then return { problem = text } end
local function is_inside(at)
  local byte = text:byte(at)
  return byte ~= nil and byte >= 0x80 and byte < 0xc0
end
local first, last = args.offset + 1, math.min(args.offset + args.length, #text)
while is_inside(first) do first = first + 1 end
while is_inside(last + 1) do last = last + 1 end
return { text = text:sub(first, last), offset = first - 1, total = #text }`

interface Part {
  readonly problem?: string
  readonly text: string
  readonly offset: number
  readonly total: number
}

const count = (least: number) =>
  z.int('must be a whole number').min(least, `must be at least ${least}`)

export const readDocument = operation({
  name: 'document',
  route: 'POST /fs/document',
  tool: 'document_read',
  title: 'Read a document',
  description:
    'Reads PDF, DOCX, XLSX, PPTX, EPUB, HTML or text as Markdown, pages marked. While truncated is true, continue at offset + bytes.',
  scopes: ['files:read'],
  hints: READS_ONLY,
  forModels: { defaults: { length: 16_384 }, maxima: { length: 16_384 } },
  input: () =>
    z.strictObject({
      path: pathField('inbox/report.pdf'),
      pages: textField().optional().describe('Such as 1-3; all by default.'),
      offset: count(0).optional().describe('The first byte of the text; 0 by default.'),
      length: count(1)
        .max(MAX_LENGTH, `must be at most ${MAX_LENGTH}`)
        .optional()
        .describe('How many bytes, in whole characters.'),
    }),
  output: () =>
    z.strictObject({
      text: z.string().describe('Markdown.'),
      bytes: z.int().describe('Of this text.'),
      offset: z.int().describe('Where this text begins.'),
      total_bytes: z.int().describe('Of the whole text.'),
      truncated: z.boolean().describe('Whether the text continues.'),
    }),

  async run(ctx, { path: raw, pages, offset = 0, length = MAX_LENGTH }) {
    const { parseBytes, resultBytes } = ctx.service.config.limits
    const files = await openCallerFiles(ctx)
    const path = files.parsePath(raw)
    const { bytes: size } = (await files.head(path)) ?? (await files.refuseMissing(path))
    if (size > parseBytes) {
      const message = `${quoted(path)} has ${size} bytes, more than the ${parseBytes} that can be read.`
      throw new AppError('too_large', message)
    }
    const most = Math.max(1, Math.min(length, Math.floor(resultBytes / RESULT_SHARE)))
    const part = await partOf(ctx, { path, pages, offset, length: most })
    const bytes = new TextEncoder().encode(part.text).length
    return {
      text: part.text,
      bytes,
      offset: part.offset,
      total_bytes: part.total,
      truncated: part.offset + bytes < part.total,
    }
  },
})

async function partOf(
  ctx: RequestContext,
  args: Readonly<Record<'offset' | 'length', number>> & {
    readonly path: string
    readonly pages: string | undefined
  },
): Promise<Part> {
  const { error, resultJson } = await executeScript(ctx, {
    script: SCRIPT,
    argsJson: JSON.stringify(args),
    commit: 'on_success',
    isReading: true,
  })
  if (error) throw problemOf(error.kind, args.path)
  const part = JSON.parse(resultJson) as Part
  if (part.problem === undefined) return part
  // As raised, it begins with the path.
  const rest = part.problem.replace(`${args.path}: `, '')
  const joint = /^(?:has|is|unpacks) /.test(rest) ? ' ' : ': '
  const subject = rest === part.problem ? '' : quoted(args.path) + joint
  throw new AppError('invalid_request', `${subject}${rest}.`)
}

function problemOf(kind: string, path: string): AppError {
  const tooLarge = ['fuel', 'memory', 'timeout', 'limit', 'result'].includes(kind)
  const code: ErrorCode = tooLarge ? 'too_large' : 'storage_unavailable'
  const message = tooLarge
    ? `${quoted(path)} takes more time or memory than a request may. Ask for fewer pages.`
    : 'The document cannot be read right now. Try again shortly.'
  return new AppError(code, message)
}
