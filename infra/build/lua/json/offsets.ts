/**
 * Lua's structures in memory, by their offsets in bytes. The build asserts them: see
 * ../check-layout.ts. Compiled as AssemblyScript too, so only constants without types.
 */

/** Of a value or a node: its tag. Bit 64 says that it is collected, the low four are its type. */
export const TAG = 8
export const NIL = 0
export const FALSE = 1
export const TRUE = 17
export const LIGHT = 2
export const INTEGER = 3
export const FLOAT = 19
export const SHORT_STRING = 0x44
export const LONG_STRING = 0x54
export const TABLE = 0x45
export const VALUE_BYTES = 16

/** Of a node, whose value comes first. */
export const KEY_TAG = 9
export const KEY = 16
export const NODE_BYTES = 24

/** Of a string. */
export const SHORT_LENGTH = 7
export const HASH = 8
export const LONG_LENGTH = 12
export const TEXT = 16
/** Longer strings are not unique. */
export const MAX_SHORT = 40

/** Of a table. */
export const MARKED = 5
export const FLAGS = 6
export const NODE_BITS = 7
export const ARRAY_LIMIT = 8
export const ARRAY = 12
export const NODES = 16
export const LAST_FREE = 20
export const BLACK = 32
/** Flags: metamethods known to be absent, and that the limit is not the array's real size. */
export const ABSENT = 0x3f
export const IS_NOT_SIZE = 0x80

/** Of a thread. */
export const TOP = 12
export const GLOBAL = 16
export const CALL = 20
export const STACK_LAST = 24
export const STACK = 28

/** Of the global state: whether running out of memory collects nothing. */
export const NO_EMERGENCY = 79

/** The node of a table without any: its address. */
export const NO_NODE = 11536

export const REGISTRY = -1001000
export const ERROR_MEMORY = 4
