/** Describes a type named in a function's signature. */
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { typeOf } from '../../sdk/catalog/help.ts'
import { didYouMean, quoteName } from '../../sdk/catalog/names.ts'
import { operation } from '../operation.ts'
import { ABOUT_APIS, askApis, findApi, nameField } from './ask-apis.ts'
import { callerAuth } from './caller-auth.ts'

export const getSchema = operation({
  ...ABOUT_APIS,
  name: 'get_schema',
  tool: 'get_schema',
  title: 'Read about a type',
  description: 'Shows a type that a signature names.',
  input: () => z.strictObject({ name: nameField('<api>.<Type>'), auth: callerAuth() }),
  output: () => z.strictObject({ schema: z.string() }),

  run: (ctx, { name, auth }) =>
    askApis(ctx, auth, ({ catalog }) => {
      const schema = typeOf(catalog, name)
      if (schema !== undefined) return { schema }
      const dot = name.indexOf('.')
      const api = name.slice(0, dot < 0 ? name.length : dot)
      findApi(catalog, api)
      const own = dot < 0 ? '' : name.slice(dot + 1)
      const near = didYouMean(own, Object.keys(catalog.typesOf(api)))
      throw new AppError('not_found', `The API ${api} has no type ${quoteName(own)}${near || '.'}`)
    }),
})
