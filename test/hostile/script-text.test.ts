/** Whatever text a script is, compiling it ends with a result or a syntax error, never with a crash. */
import { afterEach, describe, expect, it } from 'vitest'
import { runLua } from '../support/run-lua.ts'
import { PLAIN_RUN, plainRun } from './plain-run.ts'

const MIB = 1024 * 1024

afterEach(async () => {
  expect(await plainRun()).toEqual(PLAIN_RUN)
})

describe('a strange script', () => {
  it.each([
    ['nothing', '', null],
    ['blanks', ' \t\r\n\v\f', null],
    ['a comment', '-- nothing to do', null],
    ['an unfinished line comment of 1 MiB', `--${'x'.repeat(MIB - 2)}`, null],
    ['semicolons', ';'.repeat(MIB), null],
    ['blank lines before a return', `${'\n'.repeat(MIB - 8)}return 1`, 1],
    ['a long string literal', `return #"${'x'.repeat(MIB - 20)}"`, MIB - 20],
    ['a long bracket literal', `return #[==[${'x'.repeat(MIB - 20)}]==]`, MIB - 20],
    ['a long name', `local ${'x'.repeat(500_000)} = 7 return ${'x'.repeat(500_000)}`, 7],
    ['a long numeral', `return ${'1'.repeat(300)} > 1e299`, true],
    ['many statements', `a = 0 ${'a = a + 1 '.repeat(50_000)} return a`, 50_000],
    [
      'many constants',
      `return #{${Array.from({ length: 90_000 }, (_, i) => i + 0.5).join()}}`,
      90_000,
    ],
    [
      'many names',
      `${Array.from({ length: 40_000 }, (_, i) => `v${i} = ${i}`).join(' ')} return v39999`,
      39_999,
    ],
    [
      'many strings',
      `return #{${Array.from({ length: 60_000 }, (_, i) => `"s${i}"`).join()}}`,
      60_000,
    ],
    [
      'many functions',
      `local t = {} ${'t[#t + 1] = function() return t end '.repeat(20_000)} return #t`,
      20_000,
    ],
    ['200 locals', `${locals(200)} return v199`, 199],
    ['255 upvalues', upvalues(255), 255],
    ['a chain of elseif', elseifs(5_000), 5_000],
    ['180 nested blocks', `${'do '.repeat(180)} x = 1 ${'end '.repeat(180)} return x`, 1],
    [
      '40 nested functions',
      `return ${'(function() return '.repeat(40)}1${' end)()'.repeat(40)}`,
      1,
    ],
    ['190 concatenations', `return #(${'"x" .. '.repeat(190)}"x")`, 191],
    ['a NUL in a literal', 'return #"a\0b"', 3],
    ['a NUL in a comment', '-- \0\nreturn 2', 2],
    [
      'labels and jumps',
      `${Array.from({ length: 5_000 }, (_, i) => `goto l${i} ::l${i}::`).join(' ')} return 3`,
      3,
    ],
  ])('%s', async (_, script, expected) => {
    const { result, logs, error } = await runLua(script)
    expect({ result, logs, error }).toEqual({ result: expected, logs: [], error: undefined })
  })

  it('keeps bytes that are not UTF-8 in literals', async () => {
    const script = latin1('return { #"\xff\xfe", ("\xff\xfe"):byte(1, -1) }')
    expect((await runLua(script)).result).toEqual([2, 255, 254])
  })
})

describe('a script nested too deeply is a syntax error:', () => {
  it.each([
    ['1 MiB of (', '('.repeat(MIB)],
    ['1 MiB of { in an expression', `return ${'{'.repeat(MIB - 7)}`],
    ['1 MiB of -', `return ${'- '.repeat(MIB / 2 - 4)}1`],
    ['1 MiB of not', `return ${'not '.repeat(MIB / 4 - 4)}1`],
    ['1 MiB of a,', 'a,'.repeat(MIB / 2)],
    ['1 MiB of ^', `return ${'1^'.repeat(MIB / 2 - 4)}1`],
    ['1 MiB of ..', `return ${'a..'.repeat(300_000)}a`],
    ['1 MiB of do', 'do '.repeat(300_000)],
    ['1 MiB of while', 'while 1 do '.repeat(90_000)],
    ['1 MiB of repeat', 'repeat '.repeat(140_000)],
    ['1 MiB of if', 'if a then '.repeat(100_000)],
    ['1 MiB of function', 'function f() '.repeat(80_000)],
    ['1 MiB of function expressions', `return ${'function() return '.repeat(60_000)}`],
    ['1 MiB of tables', `return ${'{a='.repeat(300_000)}`],
    ['1 MiB of calls', `return ${'f('.repeat(500_000)}`],
    ['1 MiB of indices', `return ${'a['.repeat(500_000)}`],
  ])('%s', async (_, script) => {
    const { result, logs, error } = await runLua(script)
    expect({ result, logs, error }).toEqual({
      result: null,
      logs: [],
      error: { kind: 'syntax', message: 'C stack overflow' },
    })
  })
})

describe('a script is a syntax error, with its line, if it is', () => {
  it.each([
    ['1 MiB of {', '{'.repeat(MIB), "unexpected symbol near '{'"],
    ['1 MiB of a=', 'a='.repeat(MIB / 2), "unexpected symbol near '='"],
    ['1 MiB of a.', 'a.'.repeat(MIB / 2), '<name> expected near <eof>'],
    ['1 MiB of for', 'for i=1,2 do '.repeat(80_000), 'too many local variables'],
    ['1 MiB of [', '['.repeat(MIB), 'unfinished long string (starting at line 1)'],
    ['1 MiB of [=', `return [${'='.repeat(MIB - 8)}`, 'invalid long string delimiter'],
    ['1 MiB of "', '"'.repeat(MIB), 'unexpected symbol near \'""\''],
    ['1 MiB of NUL', '\0'.repeat(MIB), 'unexpected symbol'],
    ['1 MiB of escapes', `return "${'\\'.repeat(MIB - 9)}"`, 'unfinished string'],
    ['201 locals', locals(201), 'too many local variables (limit is 200) in main function'],
    ['256 upvalues', upvalues(256), 'too many upvalues (limit is 255)'],
    ['a jump to nowhere', 'goto nowhere', "no visible label 'nowhere'"],
    ['an unfinished string', 'return "abc', 'unfinished string'],
    ['an unfinished comment', '--[[ abc', 'unfinished long comment'],
    ['a bad escape', 'return "\\400"', 'decimal escape too large'],
    ['a character beyond Unicode', 'return "\\u{FFFFFFFFF}"', 'UTF-8 value too large'],
    ['a break outside of a loop', 'break', 'break outside loop at line 1'],
    [
      'a constant that is changed',
      'local x <const> = 1 x = 2',
      "attempt to assign to const variable 'x'",
    ],
  ])('%s', async (_, script, message) => {
    const { result, logs, error } = await runLua(script)
    expect({ result, logs, kind: error?.kind, message: error?.message.slice(0, 100) }).toEqual({
      result: null,
      logs: [],
      kind: 'syntax',
      message: expect.stringContaining(message),
    })
    expect(error?.line).toBeGreaterThan(0)
  })

  it('bytes that are not UTF-8 outside of literals', async () => {
    const { error } = await runLua(latin1('return \xff'))
    const message = "script:1: unexpected symbol near '<\\255>'"
    expect(error).toEqual({ kind: 'syntax', message, line: 1 })
  })
})

function locals(count: number): string {
  return Array.from({ length: count }, (_, i) => `local v${i} = ${i}`).join(' ')
}

/** A function that uses this many locals of the two functions around it. */
function upvalues(count: number): string {
  const names = Array.from({ length: count }, (_, i) => `u${i}`)
  const outer = names.slice(0, 130)
  const inner = names.slice(130)
  const sum = names.join(' + ')
  return `local ${outer.join()} = ${outer.map(() => 1).join()}
    local function f()
      local ${inner.join()} = ${inner.map(() => 1).join()}
      return (function() return ${sum} end)()
    end
    return f()`
}

function elseifs(count: number): string {
  const branches = Array.from(
    { length: count },
    (_, i) => `elseif x == ${i + 1} then return ${i + 1}`,
  )
  return `local x = ${count} if false then ${branches.join(' ')} end`
}

function latin1(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}
