/** Definition files of everything that a script can use, from the Lua reference. */
import {
  LUA_LIBRARIES,
  type LuaFunction,
  type LuaLibrary,
} from '../../lua-reference/lua-functions.ts'
import { isLuaKeyword } from '../../sdk/catalog/names.ts'
import { docLines, META } from './doc-lines.ts'
import { GENERIC, PARAM_TYPES, RETURN_TYPES } from './reference-types.ts'

/** What LuaLS calls an open file. */
const FILE_CLASS = 'file*'

const WRITER = [
  '--- Writes rows of CSV.',
  '---@class csv.writer',
  '---@field write fun(self: csv.writer, row: table): csv.writer',
  '---@field close fun(self: csv.writer)',
]

export function libraryStubs(): string {
  return [META, WRITER.join('\n'), ...LUA_LIBRARIES.flatMap(stubsOf)].join('\n\n') + '\n'
}

function stubsOf({ name, summary, functions }: LuaLibrary): string[] {
  const about = docLines(summary)
  if (name === 'base') return functions.map((entry) => stubOf(entry))
  if (name === 'handle') {
    const head = [...about, `---@class ${FILE_CLASS}`, 'local handle = {}'].join('\n')
    return [head, ...functions.map((entry) => stubOf(entry))]
  }
  // LuaLS finds the methods of strings in a class of this name.
  const head = [...about, `---@class ${name}lib`, `${name} = {}`].join('\n')
  return [head, ...functions.map((entry) => stubOf(entry))]
}

function stubOf({ name, signature, summary, details, differs, example }: LuaFunction): string {
  const docs = [
    ...docLines([summary, details].filter(Boolean).join('\n\n')),
    ...(differs === undefined ? [] : ['---', ...docLines(`Differs from Lua: ${differs}`)]),
    ...(example === undefined ? [] : ['---', ...docLines(`\`\`\`lua\n${example}\n\`\`\``)]),
  ]
  const [call = '', returned] = signature.split(' → ')
  if (call === name) {
    const [type = 'any'] = typesOf(returned)
    return [...docs, `---@type ${type}`, `${name} = nil`].join('\n')
  }
  const params = paramsOf(call.slice(name.length))
  const annotations = GENERIC[name] ?? [
    ...params.map(
      ({ name: own, isOptional, type }) =>
        `---@param ${own}${isOptional && own !== '...' ? '?' : ''} ${type}`,
    ),
    ...(returned === undefined ? [] : typesOf(returned).map((type) => `---@return ${type}`)),
  ]
  const names = params.map((param) => param.name).join(', ')
  return [...docs, ...annotations, `function ${name}(${names}) end`].join('\n')
}

/** @throws for a signature that {@link RETURN_TYPES} does not know. */
function typesOf(returned = 'value'): readonly string[] {
  const types = RETURN_TYPES[returned]
  if (!types) throw new Error(`no type for what returns ${returned}`)
  return types
}

interface Param {
  readonly name: string
  readonly isOptional: boolean
  readonly type: string
}

/** @param list `(path, mode?)`, or `{ … }` where a table is the only argument. */
function paramsOf(list: string): Param[] {
  if (list.startsWith('{')) return [{ name: 'calls', isOptional: false, type: 'table[]' }]
  const inner = list.slice(1, -1)
  const written = inner === '' ? [] : inner.split(/,\s*(?![^{]*\})/)
  let mayBeMissing = false
  return written.map((text) => {
    const { name, isOptional, type } = paramOf(text)
    // In Lua arguments are left out from the end, so one after it may be missing too.
    mayBeMissing ||= isOptional
    return { name, isOptional: mayBeMissing, type }
  })
}

function paramOf(text: string): Param {
  const isOptional = text.endsWith('?')
  const plain = isOptional ? text.slice(0, -1) : text
  if (plain.startsWith('{')) {
    const name = isOptional ? 'options' : 'values'
    return { name, isOptional, type: isOptional ? optionsType(plain) : 'table' }
  }
  const [first = '', ...others] = plain.split(' or ')
  const types = [first, ...others].map(typeOf)
  return { name: isLuaKeyword(first) ? 'f' : first, isOptional, type: types.join('|') }
}

/** @throws for a name that {@link PARAM_TYPES} does not know. */
function typeOf(name: string): string {
  const type = name === 'function' ? 'function' : PARAM_TYPES.get(name)
  if (type === undefined) throw new Error(`no type for the parameter ${name}`)
  return type
}

/** `{ header = true, columns? }` as `{ header?: boolean, columns?: string[] }`. */
function optionsType(text: string): string {
  const fields = [...text.matchAll(/(\w+)\??(?: = (true|false|"[^"]*"|\w+))?(?=,| \})/g)]
  const written = fields.map(([, name, value = 'names']) => `${name}?: ${optionType(value)}`)
  return `{ ${written.join(', ')} }`
}

function optionType(value: string): string {
  if (value === 'true' || value === 'false') return 'boolean'
  return value.startsWith('"') ? 'string' : 'string[]'
}
