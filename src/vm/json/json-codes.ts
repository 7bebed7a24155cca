/**
 * Numbers that the codec in the module and the host share: see infra/build/lua/json. Compiled as
 * AssemblyScript too, so only constants without types.
 */

export const MAX_JSON_LEVELS = 200
/** A small value can have huge JSON: repeated references to one string or table. */
export const MAX_JSON_BYTES = 16777216

/** Why a text is not JSON. */
export const TEXT_AFTER_VALUE = 1
export const EXPECTED_KEY = 2
export const EXPECTED_COLON = 3
export const EXPECTED_COMMA_OR_BRACE = 4
export const EXPECTED_COMMA_OR_BRACKET = 5
export const UNFINISHED_STRING = 6
export const CONTROL_CHARACTER = 7
export const INVALID_ESCAPE = 8
export const UNEXPECTED = 9
export const TEXT_TOO_DEEP = 10

/** Why a value cannot be JSON. */
export const TOO_DEEP = 20
export const TOO_LONG = 21
export const CYCLE = 22
export const NO_MEMORY = 23

/** Plus one of the following: a value that JSON cannot represent exactly, and none may be replaced. */
export const INEXACT = 32
export const NOT_A_NUMBER = 1
export const INFINITE = 2
export const LARGE_INTEGER = 3
export const NOT_UTF8 = 4
export const SAME_KEYS = 5
/** Values of these types; the numbers are those of Lua's types. */
export const FUNCTION = 6
export const USERDATA = 7
export const THREAD = 8
/** Keys of these types. */
export const BOOLEAN_KEY = 9
export const USERDATA_KEY = 10
export const TABLE_KEY = 11
export const FUNCTION_KEY = 12
export const THREAD_KEY = 13

/** Style: bits. */
export const INDENTED = 1
/** Replaces what is not exact, instead of refusing it. */
export const REPLACING = 2
/** Gives the text to the host in parts, instead of pushing it as a string. */
export const TO_HOST = 4
