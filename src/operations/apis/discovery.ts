/** API discovery for callers, in small pieces: the whole catalog would fill a model's context. */
import * as z from 'zod'
import type { Scope } from '../../caller.ts'
import { limitsOf, type LimitChanges } from '../../limits.ts'
import { AppError } from '../../errors.ts'
import { anySignal } from '../../lib/abort.ts'
import type { ApiInfo, Catalog } from '../../sdk/catalog/catalog.ts'
import type { Discovery } from '../../sdk/search/discovery.ts'
import { didYouMean, quoteName } from '../../sdk/catalog/names.ts'
import { openDiscovery } from '../../sdk/call/run-apis.ts'
import { RaisedInLua } from '../../vm/script-error.ts'
import { cursorField, textField } from '../fields.ts'
import { operation, READS_ONLY } from '../operation.ts'
import type { RequestContext } from '../service.ts'
import { typeOf } from '../../sdk/catalog/help.ts'
import { callerAuthField, checkCallerAuth, type CallerAuth } from './caller-auth.ts'

/** What servers may send for one response, to which a model waits; lower limits of runs apply. */
const LOWER: LimitChanges = { apiCallMs: 10_000, apiCallBytes: 2_097_152, apiBytes: 4_194_304 }

/** Callers that may run scripts may know what scripts can call. */
const ABOUT_APIS = {
  scopes: ['execute'] as readonly Scope[],
  hints: READS_ONLY,
  needs: 'apis' as const,
}

interface Known {
  readonly catalog: Catalog
  readonly discovery: Discovery
}

/** Turns errors meant for scripts into `not_found`, and aborts pending requests at the end. */
async function askApis<T>(
  { service, signal }: RequestContext,
  auth: CallerAuth,
  answer: (known: Known) => T | Promise<T>,
): Promise<T> {
  const { apis, config } = service
  if (!apis) throw new AppError('not_found', 'No APIs are configured.')
  const callerAuth = checkCallerAuth(auth, service)
  const over = new AbortController()
  const discovery = openDiscovery({
    ...apis,
    limits: limitsOf((_, name) => Math.min(config.limits[name], LOWER[name] ?? Infinity)),
    callerAuth,
    ending: { signal: anySignal(signal, over.signal) },
  })
  try {
    return await answer({ catalog: apis.catalog, discovery })
  } catch (error) {
    if (error instanceof RaisedInLua) throw new AppError('not_found', error.message)
    if (signal?.aborted) throw new AppError('busy', 'The caller has disconnected.')
    throw error
  } finally {
    over.abort()
  }
}

/** @throws {AppError} `not_found` */
function findApi({ apis }: Catalog, name: string): ApiInfo {
  const found = apis.find((api) => api.name === name)
  if (found) return found
  const names = apis.map((api) => api.name)
  const there = didYouMean(name, names) || `; there are ${names.join(', ')}.`
  throw new AppError('not_found', `There is no API ${quoteName(name)}${there}`)
}

export const listApis = operation({
  ...ABOUT_APIS,
  name: 'list_apis',
  tool: 'list_apis',
  title: 'List APIs',
  description:
    'Lists the APIs that scripts can call as sdk.<api>.<function>{…}. functions is null for MCP servers: list_functions asks them for their tools.',
  input: () => z.strictObject({ auth: callerAuthField() }),
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

const MAX_QUESTION_LENGTH = 1000

export const searchDocs = operation({
  ...ABOUT_APIS,
  name: 'search_docs',
  tool: 'search_docs',
  title: 'Search functions',
  description:
    'Finds functions for a task in plain words, best first, with signatures: start here before writing a script that uses sdk.',
  input: () =>
    z.strictObject({
      query: textField().describe('Such as "list open issues of a repo"'),
      auth: callerAuthField(),
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

const PAGE_FUNCTIONS = 50

export const listFunctions = operation({
  ...ABOUT_APIS,
  name: 'list_functions',
  tool: 'list_functions',
  title: 'List functions of an API',
  description: 'Lists functions page by page. For large APIs search_docs is quicker.',
  input: () =>
    z.strictObject({
      api: textField().describe('A name from list_apis.'),
      cursor: cursorField(),
      auth: callerAuthField(),
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
        throw new AppError('invalid_request', 'cursor: must come from a previous response')
      }
      const all = await discovery.functionsOf(info)
      const start = Number(cursor)
      const end = start + PAGE_FUNCTIONS
      const functions = all.slice(start, end).map(({ name, summary }) => ({ name, summary }))
      return { functions, cursor: end < all.length ? String(end) : null }
    }),
})

export const getFunctionDocs = operation({
  ...ABOUT_APIS,
  name: 'get_function_docs',
  tool: 'get_function_docs',
  title: 'Read about a function',
  description: 'Shows parameters, body and result of one function, with the types it names.',
  input: () =>
    z.strictObject({ name: textField().describe('<api>.<function>'), auth: callerAuthField() }),
  output: () => z.strictObject({ docs: z.string() }),

  run: (ctx, { name, auth }) =>
    askApis(ctx, auth, async ({ discovery }) => ({ docs: await discovery.functionHelp(name) })),
})

export const getSchema = operation({
  ...ABOUT_APIS,
  name: 'get_schema',
  tool: 'get_schema',
  title: 'Read about a type',
  description: 'Shows a type that a signature names.',
  input: () =>
    z.strictObject({ name: textField().describe('<api>.<Type>'), auth: callerAuthField() }),
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
