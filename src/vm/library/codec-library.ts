/** The global `codec`: bytes in, bytes out. */
import {
  decodeBase64,
  decodeHex,
  decodeUrl,
  encodeBase64,
  encodeHex,
  encodeUrl,
  urlLength,
} from '../../formats/codec.ts'
import { FormatError } from '../../formats/format-host.ts'
import { crc32 } from '../../lib/crc32.ts'
import { hmacKeyOf } from '../../lib/crypto.ts'
import type { Call, HostFunctions } from '../host-calls.ts'
import { TYPE, type Pointer } from '../lua-exports.ts'
import { RaisedInLua } from '../script-error.ts'
import { OutOfMemory, toText } from '../strings.ts'
import type { LibraryHost } from './library-host.ts'

/** Fuel per byte, measured against Lua code of equal time. */
const FUEL = { codec: 1, crc32: 0.5, hash: 1 } as const
/** Fuel for a key and a promise. */
const FUEL_PER_HASH = 5_000

export function codecLibrary(host: LibraryHost): HostFunctions {
  const { lua, memory, fuel, limits } = host
  let digest: Uint8Array = new Uint8Array()

  /** Must be used at once: VM memory may move. */
  const stringAt = (L: Pointer, index: number): Uint8Array<ArrayBuffer> => {
    const type = lua.lua_type(L, index)
    if (type === TYPE.string || type === TYPE.number) {
      return memory.stringAt(L, index) as Uint8Array<ArrayBuffer>
    }
    const name = type === TYPE.none ? 'no value' : toText(memory.cString(lua.lua_typename(L, type)))
    throw new RaisedInLua(`string expected, got ${name}`, index)
  }
  /** @param lengthOf The length of the result at most: what the VM cannot hold is not made. */
  const coding =
    (
      code: (bytes: Uint8Array) => Uint8Array,
      lengthOf = (bytes: Uint8Array) => bytes.length,
    ): Call =>
    (L) => {
      const bytes = stringAt(L, 1)
      fuel.spend(Math.ceil(bytes.length * FUEL.codec))
      if (lengthOf(bytes) > limits.memoryBytes) throw new OutOfMemory()
      try {
        memory.push(L, code(bytes))
      } catch (error) {
        if (error instanceof FormatError) throw new RaisedInLua(error.message)
        throw error
      }
      return 1
    }
  const spendHash = (bytes: number) => fuel.spend(FUEL_PER_HASH + Math.ceil(bytes * FUEL.hash))
  const pushDigest: Call = (L) => {
    memory.push(L, encodeHex(digest))
    return 1
  }

  return {
    wait: {
      async 'codec.sha256'(L) {
        const bytes = stringAt(L, 1)
        spendHash(bytes.length)
        // Copies the bytes before it returns.
        digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
      },

      async 'codec.hmac_sha256'(L) {
        const secret = stringAt(L, 1).slice()
        const bytes = stringAt(L, 2).slice()
        spendHash(secret.length + bytes.length)
        // Keys of no length are refused by the platform; a zero byte is the same key.
        const key = await hmacKeyOf(secret.length > 0 ? secret : new Uint8Array(1))
        digest = new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes))
      },
    },

    call: {
      'codec.base64_encode': coding(encodeBase64, (bytes) => Math.ceil(bytes.length / 3) * 4),
      'codec.base64_decode': coding(decodeBase64),
      'codec.hex_encode': coding(encodeHex, (bytes) => bytes.length * 2),
      'codec.hex_decode': coding(decodeHex),
      'codec.url_encode': coding(encodeUrl, urlLength),
      'codec.url_decode': coding(decodeUrl),
      'codec.crc32'(L) {
        const bytes = stringAt(L, 1)
        fuel.spend(Math.ceil(bytes.length * FUEL.crc32))
        memory.push(L, crc32(bytes).toString(16).padStart(8, '0'))
        return 1
      },
      'codec.sha256': pushDigest,
      'codec.hmac_sha256': pushDigest,
    },
  }
}
