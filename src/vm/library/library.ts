/** Host functions beyond stock Lua, and checks before stock functions. */
import { FileError, type FileErrorCode } from '../../files/file-error.ts'
import { parseFolder, parsePath, type VirtualPath } from '../../files/path.ts'
import type { VirtualFiles } from '../../files/run/virtual-files.ts'
import { apiLibrary } from './api-library.ts'
import { isGiven, stringArgument, typeNameOf, wordArgument } from './arguments.ts'
import { codecLibrary } from './codec-library.ts'
import { csvLibrary } from './csv-library.ts'
import { formatLibrary } from './format-library.ts'
import { ERRNO, fileErrorText } from '../system/errno.ts'
import type { HostFunctions } from '../host-calls.ts'
import type { LibraryHost } from './library-host.ts'
import { processLibrary } from './process-library.ts'
import { TYPE, type LuaExports, type Pointer } from '../lua-exports.ts'
import { RaisedInLua } from '../script-error.ts'
import {
  assertFreeHandle,
  assertMayRead,
  assertMayRequest,
  assertMayTouch,
  assertMayWrite,
  assertRoomLeft,
  saveWhenRoom,
} from './files.ts'
import { toText, type LuaMemory } from '../strings.ts'

const FUEL_PER_NAME = 200
const FUEL_PER_PATH_BYTE = 8
/** Each parent folder is looked up by its full path. */
const FUEL_PER_FOLDER = 120
const SLASH = 0x2f

/** Implements {@link HOST_FUNCTIONS}. */
export function scriptLibrary(host: LibraryHost): HostFunctions {
  const { lua, memory, json, files, access, limits, fuel } = host

  /** Must be parsed at once: VM memory may move. */
  const pathBytes = (L: Pointer, index: number): Uint8Array => {
    const bytes = stringArgument(host, L, index)
    let folders = 0
    for (const byte of bytes) if (byte === SLASH) folders++
    fuel.spend(bytes.length * FUEL_PER_PATH_BYTE + folders * FUEL_PER_FOLDER)
    return bytes
  }
  /** `null` if the stock function will reject the argument. */
  const pathArgument = (L: Pointer, index: number): VirtualPath | null => {
    const type = lua.lua_type(L, index)
    if (type !== TYPE.string && type !== TYPE.number) return null
    return parsePath(pathBytes(L, index), access.paths)
  }

  /** Results of a wait, for the call that follows. */
  let answer: { names: string[] } | { link: string } | FileError | undefined

  const others = [apiLibrary, formatLibrary, csvLibrary, codecLibrary].map((make) => make(host))
  return {
    wait: {
      ...Object.assign({}, ...others.map(({ wait }) => wait)),

      async 'io.list'(L) {
        const folder = parseFolder(isGiven(host, L, 1) ? pathBytes(L, 1) : undefined, access.paths)
        assertMayRead(host)
        assertMayRequest(host)
        fuel.spend(files.knownNames * FUEL_PER_NAME)
        answer = await files.list(folder).then((names) => ({ names }), asFileError)
      },

      async 'os.remove'(L) {
        const path = pathArgument(L, 1)
        if (!path) return
        assertMayWrite(host)
        assertMayRequest(host)
        const type = await typeOf(files, path)
        if (type === 'folder') throw new RaisedInLua('os.remove cannot delete directories')
        if (type === 'file') assertMayTouch(host, path)
      },

      async 'os.rename'(L) {
        const from = pathArgument(L, 1)
        const to = pathArgument(L, 2)
        if (!from || !to) return
        assertMayWrite(host)
        assertMayRequest(host)
        if ((await typeOf(files, from)) === 'file' && from !== to) assertMayTouch(host, from, to)
      },

      async 'file.save'(L) {
        const path = parsePath(pathBytes(L, 1), access.paths)
        await saveWhenRoom(host, path, () => stringArgument(host, L, 2))
        answer = { link: await linkOrRaise(host, path) }
      },
    },

    call: {
      ...Object.assign({}, ...others.map(({ call }) => call)),
      ...processLibrary(host),

      'io.open'(L) {
        const path = pathArgument(L, 1)
        if (!path) return 0
        const mode = lua.lua_type(L, 2) === TYPE.string ? wordArgument(host, L, 2) : 'r'
        if (/[wa+]/.test(mode)) assertMayWrite(host)
        if (/[wa]/.test(mode)) {
          assertMayTouch(host, path)
          assertRoomLeft(files)
        }
        if (/[r+]/.test(mode)) assertMayRead(host)
        assertFreeHandle(host)
        assertMayRequest(host)
        return 0
      },

      'io.lines'(L) {
        if (!pathArgument(L, 1)) {
          throw new RaisedInLua(`string expected, got ${typeNameOf(host, L, 1)}`, 1)
        }
        assertMayRead(host)
        assertFreeHandle(host)
        assertMayRequest(host)
        return 0
      },

      'io.list'(L) {
        if (answer instanceof FileError) {
          const name = isGiven(host, L, 1) ? toText(memory.stringAt(L, 1)) : '.'
          return pushFileError(lua, memory, L, name, answer.code)
        }
        const names = answer && 'names' in answer ? answer.names : []
        fuel.spend(names.length * FUEL_PER_NAME)
        lua.lua_createtable(L, names.length, 0)
        names.forEach((name, i) => {
          memory.push(L, name)
          lua.set_index(L, -2, i + 1)
        })
        return 1
      },

      'os.remove': () => 0,
      'os.rename': () => 0,

      'os.tmpname'(L) {
        memory.push(L, `tmp/lua_${crypto.randomUUID().replaceAll('-', '').slice(0, 12)}`)
        return 1
      },

      'file.save'(L) {
        memory.push(L, answer && 'link' in answer ? answer.link : '')
        return 1
      },

      // The module does it all itself, and calls these only to raise an error.
      'json.encode'() {
        throw json.encodingFailed()
      },

      'json.decode'(L) {
        if (lua.lua_type(L, 1) === TYPE.string) throw json.decodingFailed(memory.stringAt(L, 1))
        throw new RaisedInLua(`string expected, got ${typeNameOf(host, L, 1)}`, 1)
      },

      'json.array'(L) {
        throw new RaisedInLua(`table expected, got ${typeNameOf(host, L, 1)}`, 1)
      },

      // Without an explicit seed, uses real randomness instead of the time.
      'math.randomseed'(L) {
        if (lua.lua_gettop(L) > 0) return 0
        for (const seed of crypto.getRandomValues(new BigInt64Array(2)))
          lua.lua_pushinteger(L, seed)
        return 0
      },

      '[has free handle]': () => (files.openHandles < limits.openHandles ? 1 : 0),

      '[null to string]'(L) {
        memory.push(L, 'null')
        return 1
      },

      '[describe error]'(L) {
        memory.push(L, `(error object is a ${typeNameOf(host, L, -1)} value)`)
        return 1
      },
    },
  }
}

/** The file is stored: a failing link must not end the run. */
async function linkOrRaise(host: LibraryHost, path: VirtualPath): Promise<string> {
  try {
    return await host.linkTo(path)
  } catch {
    throw new RaisedInLua(`${path}: saved, but its link could not be created`)
  }
}

/** `null` also if the store fails, which the following system call reports. */
async function typeOf(files: VirtualFiles, path: VirtualPath): Promise<'file' | 'folder' | null> {
  try {
    return await files.typeOf(path)
  } catch (error) {
    if (error instanceof FileError) return null
    throw error
  }
}

function asFileError(error: unknown): FileError {
  if (error instanceof FileError) return error
  throw error
}

/** `nil`, message and errno, as Lua's own functions fail. */
export function pushFileError(
  lua: LuaExports,
  memory: LuaMemory,
  L: Pointer,
  name: string,
  code: FileErrorCode,
): number {
  lua.lua_pushnil(L)
  memory.push(L, `${name}: ${fileErrorText(code)}`)
  lua.push_integer(L, ERRNO[code].linux)
  return 3
}
