/**
 * Everything a script can use: the source of the docs, editor completion and tool descriptions.
 * Imports nothing outside this folder, so that anything may import it.
 */
import { BASE } from './functions/base.ts'
import { COROUTINE } from './functions/coroutine.ts'
import { CODEC, CSV, GZIP, ZIP } from './functions/formats.ts'
import { DEBUG } from './functions/debug.ts'
import { DOCUMENT, PARQUET, XLSX } from './functions/documents.ts'
import { HANDLE, IO } from './functions/io.ts'
import { FILE, JSON_LIBRARY } from './functions/json.ts'
import { MATH } from './functions/math.ts'
import { OS } from './functions/os.ts'
import { PACKAGE } from './functions/package.ts'
import { SDK } from './functions/sdk.ts'
import { STRING } from './functions/string.ts'
import { TABLE } from './functions/table.ts'
import { UTF8 } from './functions/utf8.ts'
import type { LuaFunction, LuaLibrary } from './lua-function.ts'

export type { LuaFunction, LuaLibrary } from './lua-function.ts'
export { LUA_ABSENT } from './functions/absent.ts'

/** Most useful first. */
export const LUA_LIBRARIES: readonly LuaLibrary[] = [
  IO,
  HANDLE,
  FILE,
  JSON_LIBRARY,
  CSV,
  ZIP,
  GZIP,
  XLSX,
  PARQUET,
  DOCUMENT,
  CODEC,
  SDK,
  OS,
  BASE,
  STRING,
  TABLE,
  MATH,
  UTF8,
  COROUTINE,
  PACKAGE,
  DEBUG,
]

export const LUA_FUNCTIONS: readonly LuaFunction[] = LUA_LIBRARIES.flatMap(
  ({ functions }) => functions,
)
