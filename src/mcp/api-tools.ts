/** How a model finds out what `sdk` offers, a few lines at a time: the whole of it would fill its memory. */
import * as z from 'zod'
import { assertScopes, type Scope } from '../caller.ts'
import { AppError } from '../errors.ts'
import { once } from '../lib/once.ts'
import { callerAuth, checkCallerAuth } from '../operations/caller-auth.ts'
import { checkInput } from '../operations/check-input.ts'
import type { RequestContext } from '../operations/service.ts'
import type { ApiInfo, Catalog } from '../sdk/catalog/catalog.ts'
import type { Discovery } from '../sdk/search/discovery.ts'
import { typeOf } from '../sdk/catalog/help.ts'
import { didYouMean, quoteName } from '../sdk/catalog/nearest.ts'
import { openDiscovery } from '../sdk/call/run-apis.ts'
import { RaisedInLua } from '../vm/raise.ts'
import { refusal, type Tool } from './tool.ts'

const PAGE_FUNCTIONS = 50
const MAX_QUESTION_LENGTH = 1000
/** What servers may be asked for one answer: as much as one script's calls, but no more of it at once. */
const MAX_ANSWERS_BYTES = 4_194_304

/** Who may run scripts may know what they can call. */
const SCOPES: readonly Scope[] = ['execute']

const metaSchema = once(() => z.object({ auth: callerAuth() }))

/** What there is to know, and who may be asked about the rest. */
interface Known {
  readonly catalog: Catalog
  readonly discovery: Discovery
}

interface ApiTool<Input extends z.ZodType> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: () => Input
  readonly output: () => z.ZodType
  answer(known: Known, input: z.output<Input>): object | Promise<object>
}

const apiField = () => z.string('must be a string').describe('As list_apis names it.')

const listApis = apiTool({
  name: 'list_apis',
  title: 'List APIs',
  description:
    'Lists the APIs that scripts can call as sdk.<api>.<function>{…}. functions is null for MCP servers: list_functions asks them for their tools.',
  input: () => z.strictObject({}),
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
  answer: ({ catalog }) => ({
    apis: catalog.apis.map(({ name, title, description, functions }) => ({
      name,
      title,
      description,
      functions,
    })),
  }),
})

const listFunctions = apiTool({
  name: 'list_functions',
  title: 'List functions of an API',
  description: 'Lists functions page by page. For large APIs search_docs is quicker.',
  input: () =>
    z.strictObject({
      api: apiField(),
      cursor: z.string('must be a string').optional().describe('From the answer before.'),
    }),
  output: () =>
    z.strictObject({
      functions: z.array(z.strictObject({ name: z.string(), summary: z.string() })),
      cursor: z.string().nullable(),
    }),
  async answer({ catalog, discovery }, { api, cursor = '0' }) {
    const info = findApi(catalog, api)
    if (!/^\d{1,6}$/.test(cursor)) {
      throw new AppError('invalid_request', 'cursor: must be one that an answer named')
    }
    const all = await discovery.functionsOf(info)
    const start = Number(cursor)
    const end = start + PAGE_FUNCTIONS
    const functions = all.slice(start, end).map(({ name, summary }) => ({ name, summary }))
    return { functions, cursor: end < all.length ? String(end) : null }
  },
})

const searchDocs = apiTool({
  name: 'search_docs',
  title: 'Search functions',
  description:
    'Finds functions for a task in plain words, best first, with signatures: begin here before a script that uses sdk.',
  input: () =>
    z.strictObject({
      query: z.string('must be a string').describe('Such as "list open issues of a repo"'),
    }),
  output: () =>
    z.strictObject({
      hits: z.array(
        z.strictObject({ name: z.string(), signature: z.string(), summary: z.string() }),
      ),
      note: z.string().optional(),
    }),
  answer: ({ discovery }, { query }) => discovery.search(query.slice(0, MAX_QUESTION_LENGTH)),
})

const getFunctionDocs = apiTool({
  name: 'get_function_docs',
  title: 'Read about a function',
  description: 'Shows parameters, body and result of one function, with the types it names.',
  input: () =>
    z.strictObject({
      name: z.string('must be a string').describe('<api>.<function>'),
    }),
  output: () => z.strictObject({ docs: z.string() }),
  answer: async ({ discovery }, { name }) => ({ docs: await discovery.functionHelp(name) }),
})

const getSchema = apiTool({
  name: 'get_schema',
  title: 'Read about a type',
  description: 'Shows a type that a signature names.',
  input: () => z.strictObject({ name: z.string('must be a string').describe('<api>.<Type>') }),
  output: () => z.strictObject({ schema: z.string() }),
  answer({ catalog }, { name }) {
    const schema = typeOf(catalog, name)
    if (schema !== undefined) return { schema }
    const dot = name.indexOf('.')
    const api = name.slice(0, dot < 0 ? name.length : dot)
    findApi(catalog, api)
    const own = dot < 0 ? '' : name.slice(dot + 1)
    const near = didYouMean(own, Object.keys(catalog.typesOf(api)))
    throw new AppError('not_found', `The API ${api} has no type ${quoteName(own)}${near || '.'}`)
  },
})

/** Only of use where an API is configured. */
export const API_TOOLS: readonly Tool[] = [
  listApis,
  searchDocs,
  listFunctions,
  getFunctionDocs,
  getSchema,
]

function apiTool<Input extends z.ZodType>({ answer, ...tool }: ApiTool<Input>): Tool {
  const inputOf = once(tool.input)
  return {
    ...tool,
    input: inputOf,
    scopes: SCOPES,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
    async call(ctx, args, { auth }) {
      assertScopes(ctx.caller, SCOPES)
      const input = checkInput(args, inputOf())
      const structuredContent = { ...(await asking(ctx, auth, (known) => answer(known, input))) }
      return {
        structuredContent,
        content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
      }
    },
    refuse: (_, message) => refusal(message),
  }
}

/** What a script would be raised, a model is told. Whatever is still under way afterwards ends. */
async function asking(
  { service, signal }: RequestContext,
  auth: unknown,
  answer: (known: Known) => object | Promise<object>,
): Promise<object> {
  const { apis, config } = service
  if (!apis) throw new AppError('not_found', 'No APIs are configured.')
  const credentials = checkCallerAuth(checkInput({ auth }, metaSchema()).auth, service)
  const over = new AbortController()
  const discovery = openDiscovery({
    ...apis,
    limits: { ...config.limits, apiBytes: Math.min(config.limits.apiBytes, MAX_ANSWERS_BYTES) },
    callerAuth: credentials,
    ending: { signal: signal ? AbortSignal.any([signal, over.signal]) : over.signal },
  })
  try {
    return await answer({ catalog: apis.catalog, discovery })
  } catch (error) {
    if (error instanceof RaisedInLua) throw new AppError('not_found', error.message)
    if (signal?.aborted) throw new AppError('busy', 'The caller has gone.')
    throw error
  } finally {
    over.abort()
  }
}

function findApi({ apis }: Catalog, name: string): ApiInfo {
  const found = apis.find((api) => api.name === name)
  if (found) return found
  const names = apis.map((api) => api.name)
  const there = didYouMean(name, names) || `; there are ${names.join(', ')}.`
  throw new AppError('not_found', `There is no API ${quoteName(name)}${there}`)
}
