/** How a model finds out what `sdk` offers, a few lines at a time: the whole of it would fill its memory. */
import * as z from 'zod'
import { AppError } from '../errors.ts'
import { checkInput } from '../operations/check-input.ts'
import type { Service } from '../operations/service.ts'
import type { Catalog } from '../sdk/catalog.ts'
import { functionHelp, typeOf } from '../sdk/help.ts'
import { didYouMean, quoted } from '../sdk/nearest.ts'
import { searchFunctions } from '../sdk/search.ts'
import { RaisedInLua } from '../vm/raise.ts'
import { refusal, type Tool } from './tool.ts'

const PAGE_FUNCTIONS = 50
const MAX_QUESTION_LENGTH = 1000

interface ApiTool<Input extends z.ZodType> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: Input
  readonly output: z.ZodType
  answer(catalog: Catalog, input: z.output<Input>): object
}

const apiField = z.string('must be a string').describe('As list_apis names it.')

const listApis = apiTool({
  name: 'list_apis',
  title: 'List APIs',
  description: 'Lists the APIs that scripts can call as sdk.<api>.<function>{…}.',
  input: z.strictObject({}),
  output: z.strictObject({
    apis: z.array(
      z.strictObject({
        name: z.string(),
        title: z.string(),
        description: z.string(),
        functions: z.int(),
      }),
    ),
  }),
  answer: ({ apis }) => ({
    apis: apis.map(({ name, title, description, functions }) => ({
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
  input: z.strictObject({
    api: apiField,
    cursor: z.string('must be a string').optional().describe('From the answer before.'),
  }),
  output: z.strictObject({
    functions: z.array(z.strictObject({ name: z.string(), summary: z.string() })),
    cursor: z.string().nullable(),
  }),
  answer(catalog, { api, cursor = '0' }) {
    assertApi(catalog, api)
    const all = catalog.functionsOf(api)
    if (!/^\d{1,6}$/.test(cursor)) {
      throw new AppError('invalid_request', 'cursor: must be one that an answer named')
    }
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
  input: z.strictObject({
    query: z.string('must be a string').describe('Such as "list open issues of a repo"'),
  }),
  output: z.strictObject({
    hits: z.array(z.strictObject({ name: z.string(), signature: z.string(), summary: z.string() })),
  }),
  answer: (catalog, { query }) => ({
    hits: searchFunctions(catalog, query.slice(0, MAX_QUESTION_LENGTH)),
  }),
})

const getFunctionDocs = apiTool({
  name: 'get_function_docs',
  title: 'Read about a function',
  description: 'Shows parameters, body and result of one function, with the types it names.',
  input: z.strictObject({
    name: z.string('must be a string').describe('<api>.<function>'),
  }),
  output: z.strictObject({ docs: z.string() }),
  answer: (catalog, { name }) => ({ docs: functionHelp(catalog, name) }),
})

const getSchema = apiTool({
  name: 'get_schema',
  title: 'Read about a type',
  description: 'Shows a type that a signature names.',
  input: z.strictObject({ name: z.string('must be a string').describe('<api>.<Type>') }),
  output: z.strictObject({ schema: z.string() }),
  answer(catalog, { name }) {
    const schema = typeOf(catalog, name)
    if (schema !== undefined) return { schema }
    const dot = name.indexOf('.')
    const api = name.slice(0, dot < 0 ? name.length : dot)
    assertApi(catalog, api)
    const own = dot < 0 ? '' : name.slice(dot + 1)
    const near = didYouMean(own, Object.keys(catalog.typesOf(api)))
    throw new AppError('not_found', `The API ${api} has no type ${quoted(own)}${near || '.'}`)
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
  return {
    ...tool,
    // Who may run scripts may know what they can call.
    scopes: ['execute'],
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
    async call({ service }, args) {
      const input = checkInput(args, tool.input)
      const structuredContent = { ...answering(() => answer(catalogOf(service), input)) }
      return {
        structuredContent,
        content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
      }
    },
    refuse: (_, message) => refusal(message),
  }
}

function catalogOf({ apis }: Service): Catalog {
  if (!apis) throw new AppError('not_found', 'No APIs are configured.')
  return apis.catalog
}

/** What a script would be raised, a model is told. */
function answering(answer: () => object): object {
  try {
    return answer()
  } catch (error) {
    if (error instanceof RaisedInLua) throw new AppError('not_found', error.message)
    throw error
  }
}

function assertApi({ apis }: Catalog, name: string): void {
  const names = apis.map((api) => api.name)
  if (names.includes(name)) return
  const there = didYouMean(name, names) || `; there are ${names.join(', ')}.`
  throw new AppError('not_found', `There is no API ${quoted(name)}${there}`)
}
