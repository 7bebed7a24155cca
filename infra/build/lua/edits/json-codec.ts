/** JSON inside the module: the compiled codec, and C functions of Lua that call it. */
import { MAX_JSON_BYTES, INDENTED } from '../../../../src/vm/json/json-codes.ts'
import { CODEC_DATA } from '../../../../src/vm/limits/memory-size.ts'
import { SCRATCH } from '../../../../src/vm/lua-exports.ts'
import { compileCodec } from '../compile-codec.ts'
import { powersOfTen } from '../powers-of-ten.ts'
import { dataSegment, type Statics } from '../statics.ts'
import { expectCount, insertAtStart, Wat, type Edit } from '../wat.ts'
import { opcodeOf, quietFunction } from './host-functions.ts'

const TYPE_NUMBER = 3
const TYPE_STRING = 4
const TYPE_TABLE = 5

/** On the C stack. Decoding: a short string, templates. Encoding: path, shapes, fields, a part, a short text. */
const DECODE_FRAME = 64 + 1088
const ENCODE_FRAME = 800 + 1088 + 2048 + 16_384 + 1024

/** By name in the codec's source. */
const CONSTANTS: Readonly<Record<string, number>> = { SCRATCH, POWERS: CODEC_DATA.start }

/** What the codec imports besides functions of Lua. */
const HELPERS = [
  `(func $charge (param $units i32)
    (global.set $fuel (i64.sub (global.get $fuel) (i64.extend_i32_u (local.get $units)))))`,
  `(func $give_part (param $L i32)
    (drop (call $host_call (i32.const ${opcodeOf('[json part]')}) (local.get $L))))`,
  // Below the host nothing can be suspended.
  `(func $yield_if_due
    (if (i32.and (i64.lt_s (global.get $fuel) (i64.const 0)) (i32.eqz (global.get $below_host)))
     (then (call $refuel))))`,
]

const framed = (bytes: number, call: string) => `(local $frame i32) (local $answer i32)
  (global.set $global$0 (local.tee $frame (i32.sub (global.get $global$0) (i32.const ${bytes}))))
  (local.set $answer ${call})
  (global.set $global$0 (i32.add (local.get $frame) (i32.const ${bytes})))
  (local.get $answer)`

const DECODE = `(func $decode (param $L i32) (param $start i32) (param $length i32) (result i32)
  ${framed(
    DECODE_FRAME,
    '(call $json/decode/decode (local.get $L) (local.get $start) (local.get $length) (local.get $frame))',
  )})`

const ENCODE = `(func $encode (param $L i32) (param $index i32) (param $style i32) (param $most i32) (result i32)
  ${framed(
    ENCODE_FRAME,
    `(call $json/encode/encode (local.get $L) (local.get $index) (local.get $style)
      (local.get $most) (local.get $frame))`,
  )})`

const type = (index: number) => `(call $lua_type (local.get $L) (i32.const ${index}))`
const is = (index: number, wanted: number) => `(i32.eq ${type(index)} (i32.const ${wanted}))`
const DONE = '(call $step_if_due (local.get $L)) (return (i32.const 1))'

/** What the functions do before they call the host, which then only has to say what is wrong. */
const INSIDE = {
  'json.decode': `(local $text i32)
    (if (i32.or ${is(1, TYPE_STRING)} ${is(1, TYPE_NUMBER)})
     (then
      (local.set $text (call $lua_tolstring (local.get $L) (i32.const 1) (i32.const ${SCRATCH})))
      (if (i32.eqz
           (call $json_decode (local.get $L) (local.get $text) (i32.load (i32.const ${SCRATCH}))))
       (then ${DONE}))))`,
  'json.encode': `(call $lua_settop (local.get $L) (i32.const 2))
    (if (i32.eqz
         (call $json_encode (local.get $L) (i32.const 1) (call $json_style (local.get $L))
          (i32.const ${MAX_JSON_BYTES})))
     (then ${DONE}))`,
  'json.array': `(if ${is(1, TYPE_TABLE)}
    (then
     (call $lua_settop (local.get $L) (i32.const 1))
     (call $json/array-marks/markArray (local.get $L))
     ${DONE}))`,
}

const styleFunction = (indent: number) => `(func $json_style (param $L i32) (result i32)
  (local $style i32)
  (if ${is(2, TYPE_TABLE)}
   (then
    (drop (call $lua_pushstring (local.get $L) (i32.const ${indent})))
    (drop (call $lua_rawget (local.get $L) (i32.const 2)))
    (if (call $lua_toboolean (local.get $L) (i32.const -1))
     (then (local.set $style (i32.const ${INDENTED}))))
    (call $lua_settop (local.get $L) (i32.const 2))))
  (local.get $style))`

/**
 * A host that walks Lua values through the C API is several times slower. The codec reads and writes
 * Lua's structures where they are; it is metered like the rest.
 */
export const jsonCodec = (statics: Statics): Edit => ({
  name: 'JSON is encoded and decoded inside',
  apply(module) {
    for (const [name, code] of Object.entries(INSIDE)) {
      module.editFunction(`$host.${name}`, (text) => insertAtStart(text, code))
    }
    addCodec(module, new Wat(compileCodec()))
    for (const helper of HELPERS) module.add(helper)
    module.add(dataSegment(CODEC_DATA.start, powersOfTen()))
    module.add(styleFunction(statics.string('indent')))
    module.add(DECODE)
    module.add(ENCODE)
    const decode = '(call $decode (local.get $L) (local.get $start) (local.get $length))'
    module.add(quietFunction('$json_decode', ['$L', '$start', '$length'], decode))
    const encode =
      '(call $encode (local.get $L) (local.get $index) (local.get $style) (local.get $most))'
    const release = '(call $json/encode/release)'
    module.add(quietFunction('$json_encode', ['$L', '$index', '$style', '$most'], encode, release))
    for (const name of ['json_decode', 'json_encode']) {
      module.add(`(export "${name}" (func $${name}))`)
    }
  },
})

/** Its imports become what they name. */
function addCodec(module: Wat, codec: Wat): void {
  const imported = codec.all('(import "lua" ').map((field) => field.match(/"lua" "(\w+)"/)![1]!)
  const rename = (text: string) =>
    text
      .replace(/\((call|global\.get) \$json\/lua\/(\w+)/g, (_, kind: string, name: string) =>
        kind === 'call' ? `(call $${name}` : `(i32.const ${CONSTANTS[name]}`,
      )
      .replace(/^(\(func \S+) \(type \S+\)/, '$1')
  for (const field of codec.all('(func ')) module.add(rename(field))
  for (const field of codec.all('(global ')) if (field.includes('(mut ')) module.add(field)
  const text = `${HELPERS.join('\n')}\n${module}`
  for (const name of imported) {
    const isKnown = name in CONSTANTS || new RegExp(`\\(func \\$${name}\\s`).test(text)
    if (!isKnown) throw new Error(`expected ${name}, which the codec imports`)
  }
  expectCount('segments of the codec', 0, codec.all('(data ').length)
}
