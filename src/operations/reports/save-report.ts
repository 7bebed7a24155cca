/** Stores a report for a person to open, and returns its link. */
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { openCallerFiles } from '../caller-files.ts'
import { linkMaker } from '../links/file-links.ts'
import { textField } from '../fields.ts'
import { operation } from '../operation.ts'
import { htmlReport, markdownReport } from './report-text.ts'
import { timestamp } from '../timestamp.ts'

const MAX_TITLE_LENGTH = 200
/** Markdown returned in the response: the model has just written it. */
const MAX_ANSWERED_CHARACTERS = 12_000

export const saveReport = operation({
  name: 'reports',
  route: 'POST /reports',
  tool: 'save_result_page',
  title: 'Save a result page',
  description:
    'Saves a report as a page that a person opens from a link. Format "html" for long or complex ' +
    'content: tables, SVG charts, layout (scripts do not run); "markdown" for short text. With "html" ' +
    'answer the person with the link alone.',
  scopes: ['files:write'],
  hints: { destructive: false, idempotent: false },
  input: () =>
    z.strictObject({
      title: textField()
        .regex(/\S/, 'must not be empty')
        .max(MAX_TITLE_LENGTH, `must have at most ${MAX_TITLE_LENGTH} characters`)
        .describe('Heading and name of the page.'),
      content: textField().describe('Markdown, an HTML fragment or a whole HTML page.'),
      format: z.enum(['markdown', 'html'], 'must be "markdown" or "html"').default('markdown'),
    }),
  output: () =>
    z.strictObject({
      message: z.string().optional().describe('For html: what to tell the person.'),
      content: z.string().optional().describe('For markdown: the page, or its beginning.'),
      truncated: z.boolean().optional(),
      link: z.string(),
      path: z.string(),
      bytes: z.int(),
      expires_at: z.string().optional(),
    }),

  async run(ctx, { title, content, format }) {
    const { reportMaxBytes: maxBytes } = ctx.service.config
    const encoder = new TextEncoder()
    const size = encoder.encode(content).length
    if (size > maxBytes) {
      const message = `The content has ${size} bytes; a report may have ${maxBytes}. Shorten it, or save the data as a file and link to it.`
      throw new AppError('too_large', message)
    }
    const files = await openCallerFiles(ctx)
    const isHtml = format === 'html'
    const id = crypto.randomUUID().replaceAll('-', '').slice(0, 12)
    const path = files.parsePath(`output/report_${id}.${isHtml ? 'html' : 'md'}`)
    const text = isHtml ? htmlReport(title, content) : markdownReport(title, content)
    const body = encoder.encode(text)
    const { bytes, writeId } = await files.put(path, body, { ifNoneMatch: '*' })
    const links = linkMaker(ctx, files.area)
    const link = await links.linkTo(path, writeId)
    const expires_at = links.expiresAt && timestamp(links.expiresAt)
    const stored = { link, path, bytes, ...(expires_at && { expires_at }) }
    if (isHtml) return { message: `Report is ready. Open: ${link}`, ...stored }
    const characters = Array.from(text)
    return {
      content: characters.slice(0, MAX_ANSWERED_CHARACTERS).join(''),
      truncated: characters.length > MAX_ANSWERED_CHARACTERS,
      ...stored,
    }
  },
})
