/**
 * Everything a script can use: the source of the docs, editor completion and tool descriptions.
 * Imports nothing outside this folder, so that anything may import it.
 */
import { BASE_ERROR_FUNCTIONS } from './functions/base-errors.ts'
import { BASE_FUNCTIONS } from './functions/base.ts'
import { COROUTINE_FUNCTIONS } from './functions/coroutine.ts'
import { HANDLE_FUNCTIONS } from './functions/handle.ts'
import { IO_FUNCTIONS } from './functions/io.ts'
import { FILE_FUNCTIONS, JSON_FUNCTIONS } from './functions/json.ts'
import type { LuaFunction, LuaLibrary } from './lua-function.ts'
import { CURVE_FUNCTIONS } from './functions/math-functions.ts'
import { MATH_FUNCTIONS } from './functions/math.ts'
import { OS_FUNCTIONS } from './functions/os.ts'
import { SDK_FUNCTIONS } from './functions/sdk.ts'
import { PATTERN_FUNCTIONS } from './functions/string-patterns.ts'
import { STRING_FUNCTIONS } from './functions/string.ts'
import { TABLE_FUNCTIONS } from './functions/table.ts'
import { UTF8_FUNCTIONS } from './functions/utf8.ts'

export type { LuaFunction, LuaLibrary } from './lua-function.ts'
export { LUA_ABSENT } from './functions/absent.ts'

/** Most useful first. */
export const LUA_LIBRARIES: readonly LuaLibrary[] = [
  {
    name: 'io',
    title: 'Files',
    summary: 'Lua’s own library, on files that stay in the caller’s bucket.',
    functions: IO_FUNCTIONS,
  },
  {
    name: 'handle',
    title: 'Open files',
    summary: 'The methods of what `io.open` gives.',
    functions: HANDLE_FUNCTIONS,
  },
  {
    name: 'file',
    title: 'Saving',
    summary: 'A file and its link in one call.',
    functions: FILE_FUNCTIONS,
  },
  {
    name: 'json',
    title: 'JSON',
    summary: 'Reads and writes JSON without losing digits.',
    functions: JSON_FUNCTIONS,
  },
  {
    name: 'sdk',
    title: 'APIs',
    summary:
      'The APIs that this installation offers, as `sdk.<api>.<function>{ param = … }`: decoded data comes back, and a failure raises a table with `status`, `code` and `message`. With `{ save_to = "output/x.json" }` as a second argument the answer becomes a file instead.',
    functions: SDK_FUNCTIONS,
  },
  {
    name: 'os',
    title: 'Time and files',
    summary: 'Time in UTC, and files as a whole.',
    functions: OS_FUNCTIONS,
  },
  {
    name: 'base',
    title: 'Basics',
    summary: 'What needs no library in front.',
    functions: [...BASE_FUNCTIONS, ...BASE_ERROR_FUNCTIONS],
  },
  {
    name: 'string',
    title: 'Strings',
    summary: 'Strings hold any bytes; every function is a method too, as in `s:upper()`.',
    functions: [...STRING_FUNCTIONS, ...PATTERN_FUNCTIONS],
  },
  { name: 'table', title: 'Lists', summary: 'Lists in tables.', functions: TABLE_FUNCTIONS },
  {
    name: 'math',
    title: 'Numbers',
    summary: 'Integers of 64 bits and floats.',
    functions: [...MATH_FUNCTIONS, ...CURVE_FUNCTIONS],
  },
  { name: 'utf8', title: 'UTF-8', summary: 'Texts as characters.', functions: UTF8_FUNCTIONS },
  {
    name: 'coroutine',
    title: 'Coroutines',
    summary: 'Functions that pause and go on; the library is stock Lua’s.',
    functions: COROUTINE_FUNCTIONS,
  },
]

export const LUA_FUNCTIONS: readonly LuaFunction[] = LUA_LIBRARIES.flatMap(
  ({ functions }) => functions,
)
