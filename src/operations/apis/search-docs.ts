/** Finds functions for a task described in plain words. */
import * as z from 'zod'
import { operation } from '../operation.ts'
import { ABOUT_APIS, askApis, nameField } from './ask-apis.ts'
import { callerAuth } from './caller-auth.ts'

const MAX_QUESTION_LENGTH = 1000

export const searchDocs = operation({
  ...ABOUT_APIS,
  name: 'search_docs',
  tool: 'search_docs',
  title: 'Search functions',
  description:
    'Finds functions for a task in plain words, best first, with signatures: begin here before a script that uses sdk.',
  input: () =>
    z.strictObject({
      query: nameField('Such as "list open issues of a repo"'),
      auth: callerAuth(),
    }),
  output: () =>
    z.strictObject({
      hits: z.array(
        z.strictObject({ name: z.string(), signature: z.string(), summary: z.string() }),
      ),
      note: z.string().optional(),
    }),

  run: (ctx, { query, auth }) =>
    askApis(ctx, auth, ({ discovery }) => discovery.search(query.slice(0, MAX_QUESTION_LENGTH))),
})
