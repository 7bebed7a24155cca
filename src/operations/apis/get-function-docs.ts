/** Describes one function: its parameters, body and result. */
import * as z from 'zod'
import { operation } from '../operation.ts'
import { ABOUT_APIS, askApis, nameField } from './ask-apis.ts'
import { callerAuth } from './caller-auth.ts'

export const getFunctionDocs = operation({
  ...ABOUT_APIS,
  name: 'get_function_docs',
  tool: 'get_function_docs',
  title: 'Read about a function',
  description: 'Shows parameters, body and result of one function, with the types it names.',
  input: () => z.strictObject({ name: nameField('<api>.<function>'), auth: callerAuth() }),
  output: () => z.strictObject({ docs: z.string() }),

  run: (ctx, { name, auth }) =>
    askApis(ctx, auth, async ({ discovery }) => ({ docs: await discovery.functionHelp(name) })),
})
