/** LuaLS types of the names in the signatures of the Lua reference. A test holds it complete. */

const TYPES: Readonly<Record<string, readonly string[]>> = {
  string: [
    'path mode content text folder from to bytes question url name format locale category',
    'separator pattern what whence option s',
  ],
  integer: ['offset size n i j init first last m level time later earlier'],
  number: ['x y base'],
  boolean: ['plain lax'],
  table: ['table row list args options env'],
  function: ['f handler before'],
  'file*': ['handle'],
  thread: ['thread'],
  'table?': ['metatable'],
  'string|function': ['chunk'],
  'string|table|function': ['replacement'],
  'string|integer': ['sheet'],
  'table|function': ['rows'],
  'boolean|integer': ['status'],
  any: ['value key a b message position ...'],
}

/** By the name of a parameter. */
export const PARAM_TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries(TYPES).flatMap(([type, names]) =>
    names.flatMap((list) => list.split(' ')).map((name) => [name, type] as const),
  ),
)

const ITERATOR = 'fun(...: any): any, any'
const SAVED = '{ path: string, bytes: integer }'
const OR_MESSAGE = ['string? message', 'integer? number']

/** By what a signature returns, one for each value. */
export const RETURN_TYPES: Readonly<Record<string, readonly string[]>> = {
  'handle or nil, message, number': ['file*? handle', ...OR_MESSAGE],
  'names or nil, message, number': ['string[]? names', ...OR_MESSAGE],
  'true or nil, message, number': ['true? ok', ...OR_MESSAGE],
  'function or nil, message': ['function? f', 'string? message'],
  iterator: [ITERATOR],
  handle: ['file*'],
  true: ['true'],
  nil: ['nil'],
  string: ['string'],
  integer: ['integer'],
  number: ['number'],
  boolean: ['boolean'],
  table: ['table'],
  function: ['function'],
  thread: ['thread'],
  value: ['any'],
  values: ['any ...'],
  captures: ['any ...'],
  bytes: ['string'],
  link: ['string'],
  position: ['integer'],
  names: ['string[]'],
  list: ['table[]'],
  columns: ['{ name: string, type: string, nullable: boolean }[]'],
  integers: ['integer', 'integer'],
  writer: ['csv.writer'],
  'list of rows': ['table[]'],
  '{ path, bytes }': [SAVED],
  '{ path, bytes, files }': ['{ path: string, bytes: integer, files: integer }'],
  'list of { path, bytes }': [`${SAVED}[]`],
  'list of { name, bytes, compressed_bytes, modified }': [
    '{ name: string, bytes: integer, compressed_bytes: integer, modified: any }[]',
  ],
  '"C" or nil': ['"C"?'],
  'string or nil': ['string?'],
  'number or nil': ['number?'],
  'integer or nil': ['integer?'],
  'table or nil': ['table?'],
  'string or table': ['string|table'],
  'number, boolean or string': ['number|boolean|string'],
  'integer or nil, position': ['integer?', 'integer? position'],
  'results, errors': ['any[] results', 'table<integer, table>? errors'],
  'key, value': ['any key', 'any value'],
  'value, ...': ['any value', 'any ...'],
  'value, file': ['any value', 'string file'],
  'values, next position': ['any ...'],
  'start, end, captures': ['integer? start', 'integer? finish', 'any ...'],
  'string, count': ['string', 'integer count'],
  'whole, fraction': ['number whole', 'number fraction'],
  'thread, isMain': ['thread', 'boolean isMain'],
  'ok, error': ['boolean ok', 'any error'],
  'ok, values or error': ['boolean ok', 'any ...'],
  'ok, results or error': ['boolean ok', 'any ...'],
  'ok, results or the handler’s result': ['boolean ok', 'any ...'],
}

/** Where types of results follow from those of arguments. */
export const GENERIC: Readonly<Record<string, readonly string[]>> = {
  ipairs: [
    '---@generic V',
    '---@param table V[]',
    '---@return fun(table: V[], i?: integer): integer, V',
    '---@return V[]',
    '---@return integer',
  ],
  pairs: [
    '---@generic K, V',
    '---@param table table<K, V>',
    '---@return fun(table: table<K, V>, key?: K): K, V',
    '---@return table<K, V>',
  ],
  assert: [
    '---@generic T',
    '---@param value? T',
    '---@param message? any',
    '---@return T',
    '---@return any ...',
  ],
  setmetatable: [
    '---@generic T: table',
    '---@param table T',
    '---@param metatable? table',
    '---@return T',
  ],
}
