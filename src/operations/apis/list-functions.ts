/** Lists the functions of an API, page by page. */
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { operation } from '../operation.ts'
import { ABOUT_APIS, askApis, findApi, nameField } from './ask-apis.ts'
import { callerAuth } from './caller-auth.ts'

const PAGE_FUNCTIONS = 50

export const listFunctions = operation({
  ...ABOUT_APIS,
  name: 'list_functions',
  tool: 'list_functions',
  title: 'List functions of an API',
  description: 'Lists functions page by page. For large APIs search_docs is quicker.',
  input: () =>
    z.strictObject({
      api: nameField('As list_apis names it.'),
      cursor: z.string('must be a string').optional().describe('From the answer before.'),
      auth: callerAuth(),
    }),
  output: () =>
    z.strictObject({
      functions: z.array(z.strictObject({ name: z.string(), summary: z.string() })),
      cursor: z.string().nullable(),
    }),

  run: (ctx, { api, cursor = '0', auth }) =>
    askApis(ctx, auth, async ({ catalog, discovery }) => {
      const info = findApi(catalog, api)
      if (!/^\d{1,6}$/.test(cursor)) {
        throw new AppError('invalid_request', 'cursor: must be one that an answer named')
      }
      const all = await discovery.functionsOf(info)
      const start = Number(cursor)
      const end = start + PAGE_FUNCTIONS
      const functions = all.slice(start, end).map(({ name, summary }) => ({ name, summary }))
      return { functions, cursor: end < all.length ? String(end) : null }
    }),
})
