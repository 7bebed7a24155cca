/** Lists the APIs that scripts can call. */
import * as z from 'zod'
import { operation } from '../operation.ts'
import { ABOUT_APIS, askApis } from './ask-apis.ts'
import { callerAuth } from './caller-auth.ts'

export const listApis = operation({
  ...ABOUT_APIS,
  name: 'list_apis',
  tool: 'list_apis',
  title: 'List APIs',
  description:
    'Lists the APIs that scripts can call as sdk.<api>.<function>{…}. functions is null for MCP servers: list_functions asks them for their tools.',
  input: () => z.strictObject({ auth: callerAuth() }),
  output: () =>
    z.strictObject({
      apis: z.array(
        z.strictObject({
          name: z.string(),
          title: z.string(),
          description: z.string(),
          functions: z.int().nullable(),
        }),
      ),
    }),

  run: (ctx, { auth }) =>
    askApis(ctx, auth, ({ catalog }) => ({
      apis: catalog.apis.map(({ name, title, description, functions }) => ({
        name,
        title,
        description,
        functions,
      })),
    })),
})
