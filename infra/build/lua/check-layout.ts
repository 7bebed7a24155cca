/** Asserts the offsets that the codec for JSON relies on, in a live instance. */
import * as at from './json/offsets.ts'

/** The state's memory and C API; what the calls push is removed by the caller. */
export interface LiveLua {
  readonly view: DataView
  readonly state: number
  call(name: string, ...values: (number | string)[]): number
}

const ITEMS = 3
const LONG = 'a string of more than forty bytes, which is not unique'

/** @throws if a structure is not as expected. */
export function checkLayout(lua: LiveLua): void {
  const check = (what: string, found: number, expected: number) => {
    if (found !== expected) throw new Error(`${what} is ${found}, not ${expected}`)
  }
  const word = (address: number) => lua.view.getUint32(address, true)
  const byte = (address: number) => lua.view.getUint8(address)
  const pushed = (): number => word(lua.state + at.TOP) - at.VALUE_BYTES
  const object = (): number => word(pushed())

  lua.call('lua_settop', 0)
  check('the running function', word(word(lua.state + at.CALL)), pushed())
  check('the stack', word(lua.state + at.STACK), pushed())
  check('its end', Number(word(lua.state + at.STACK_LAST) > pushed()), 1)

  for (const [value, tag] of [
    [0, at.FALSE],
    [1, at.TRUE],
  ] as const) {
    lua.call('lua_pushboolean', value)
    check('the tag of a boolean', byte(pushed() + at.TAG), tag)
  }
  lua.call('lua_pushlightuserdata', 0)
  check('the tag of json.null', byte(pushed() + at.TAG), at.LIGHT)
  lua.call('lua_pushnumber', 1.5)
  check('the tag of a float', byte(pushed() + at.TAG), at.FLOAT)

  lua.call('lua_pushstring', 'key')
  const key = object()
  check('the tag of a short string', byte(pushed() + at.TAG), at.SHORT_STRING)
  check('its length', byte(key + at.SHORT_LENGTH), 3)
  check('its text', byte(key + at.TEXT), 'k'.charCodeAt(0))
  lua.call('lua_pushstring', LONG)
  check('the tag of a long string', byte(pushed() + at.TAG), at.LONG_STRING)
  check('its length', word(object() + at.LONG_LENGTH), LONG.length)

  lua.call('lua_createtable', 0, 0)
  check('the tag of a table', byte(pushed() + at.TAG), at.TABLE)
  check('the node of an empty table', word(object() + at.NODES), at.NO_NODE)
  check('its flags', byte(object() + at.FLAGS), at.ABSENT)
  lua.call('lua_createtable', ITEMS, 4)
  const table = object()
  check('the size of an array', word(table + at.ARRAY_LIMIT), ITEMS)
  check('the size of the nodes', 1 << byte(table + at.NODE_BITS), 4)
  const end = word(table + at.NODES) + 4 * at.NODE_BYTES
  check('the last free node', word(table + at.LAST_FREE), end)
  lua.call('lua_pushboolean', 1)
  lua.call('lua_setfield', -2, 'key')
  const node = word(table + at.NODES) + (word(key + at.HASH) & 3) * at.NODE_BYTES
  check("a node's value", byte(node + at.TAG), at.TRUE)
  check("a node's key", word(node + at.KEY), key)
  check('the tag of a key', byte(node + at.KEY_TAG), at.SHORT_STRING)
  lua.call('lua_pushnumber', 1)
  lua.call('lua_pushboolean', 0)
  lua.call('lua_rawset', -3)
  check('an item', byte(word(table + at.ARRAY) + at.TAG), at.FALSE)
  lua.call('lua_settop', 0)
}
