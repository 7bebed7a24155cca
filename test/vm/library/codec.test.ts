/** `codec` inside scripts. */
import { describe, expect, it } from 'vitest'
import { luaString } from '../../support/lua-string.ts'
import { runLua } from '../../support/run-lua.ts'

const ALL = luaString(Array.from({ length: 256 }, (_, byte) => byte))
const run = async (expression: string) => {
  const { result, error } = await runLua(`return ${expression}`)
  return error?.message ?? result
}

describe('codec', () => {
  it.each<[string, string]>([
    ['codec.base64_encode("")', ''],
    ['codec.base64_encode("f")', 'Zg=='],
    ['codec.base64_encode("fo")', 'Zm8='],
    ['codec.base64_encode("foo")', 'Zm9v'],
    ['codec.base64_encode(12)', 'MTI='],
    ['codec.base64_decode("Zm9vYg==")', 'foob'],
    ['codec.base64_decode(" Zm9v\\r\\nYg ")', 'foob'],
    ['codec.hex_encode(codec.base64_decode("-_-_"))', 'fbffbf'],
    ['codec.hex_encode("\\0\\xff")', '00ff'],
    ['codec.hex_decode("4a4B")', 'JK'],
    ['codec.url_encode("a-._~/?&=+ %é")', 'a-._~%2F%3F%26%3D%2B%20%25%C3%A9'],
    ['codec.url_decode("%C3%A9+%41")', 'é+A'],
    ['codec.crc32("")', '00000000'],
    ['codec.crc32("123456789")', 'cbf43926'],
    ['codec.crc32("The quick brown fox jumps over the lazy dog")', '414fa339'],
    ['codec.sha256("")', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['codec.sha256("abc")', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    [
      'codec.hmac_sha256(("\\x0b"):rep(20), "Hi There")',
      'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
    ],
    [
      'codec.hmac_sha256("", "")',
      'b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad',
    ],
  ])('%s is %j', async (expression, value) => {
    expect(await run(expression)).toBe(value)
  })

  it.each(['base64', 'hex', 'url'])('%s brings every byte back', async (name) => {
    expect(await run(`codec.${name}_decode(codec.${name}_encode(${ALL})) == ${ALL}`)).toBe(true)
  })

  it.each<[string, string]>([
    ['codec.base64_decode("Zm9*")', 'invalid base64 at position 4: not a digit'],
    ['codec.base64_decode("Zm9v=Zg")', 'invalid base64 at position 5: not a digit'],
    ['codec.base64_decode("Z")', 'invalid base64: it ends within a byte'],
    ['codec.hex_decode("abc")', 'invalid hex: odd number of digits'],
    ['codec.hex_decode("0g")', 'invalid hex at position 2: not a digit'],
    ['codec.url_decode("a%4")', 'invalid URL encoding at position 2: two digits must follow %'],
    ['codec.sha256()', "bad argument #1 to 'sha256' (string expected, got no value)"],
    ['codec.hmac_sha256("k", {})', "bad argument #2 to 'hmac_sha256' (string expected, got table)"],
    ['codec.crc32(nil)', "bad argument #1 to 'crc32' (string expected, got nil)"],
  ])('%s raises %j', async (expression, message) => {
    expect(await run(`(${expression})`)).toBe(`script:1: ${message}`)
  })
})
