/**
 * Writes calendar-glibc.json: what native Lua on glibc answers, for calendar.test.ts to compare with.
 * Run by hand, where lua5.4 is installed: node test/vm/system/record-calendar.ts
 */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'

const DAY = 86_400n

/** The first and the last second whose year fits C's `tm_year`, a 32-bit int. */
const FIRST = -67768040609740800n
const LAST = 67768036191676799n
const INT_MAX = 2 ** 31 - 1

/** Every conversion of C99, those with modifiers last. */
const FORMAT = [
  ...'aAbBcCdDeFgGhHIjmMnprRStTuUVwWxXyYzZ%',
  ...Array.from('cCxXyY', (letter) => `E${letter}`),
  ...Array.from('deHImMSuUVwWy', (letter) => `O${letter}`),
]
  .map((conversion) => `%${conversion}`)
  .join('|')

const random = seededRandom(20240229)

const times = [
  ...new Set([...limits(), ...leapDays(), ...newYears(), ...hours(), ...randomTimes()]),
]
const fields = [...singleFields(), ...fieldsAtTheLimits(), ...randomFields()]
const [local, ...answers] = runLua(luaScript())

const record = {
  format: FORMAT,
  local,
  dates: Object.fromEntries(times.map((time, i) => [time, answers[i] || null])),
  normalised: Object.fromEntries(fields.map((f, i) => [f, answers[times.length + i] || null])),
}
writeFileSync(
  new URL('calendar-glibc.json', import.meta.url),
  JSON.stringify(record, null, 2) + '\n',
)

/** Answers end in a NUL, since some hold newlines; an empty one means "cannot be represented". */
function luaScript(): string {
  return `
    local function answer(ok, text)
      assert(ok or text:find('cannot be represented', 1, true), text)
      io.write(ok and text or '', '\\0')
    end
    local function normalise(year, month, day, hour, min, sec)
      local t = { year = year, month = month, day = day, hour = hour, min = min, sec = sec }
      local seconds = os.time(t)
      return table.concat(
        { seconds, t.year, t.month, t.day, t.hour, t.min, t.sec, t.wday, t.yday }, ' ')
    end
    answer(pcall(os.date, '%Z %z'))
    for _, time in ipairs { ${times.join(', ')} } do answer(pcall(os.date, '!${FORMAT}', time)) end
    ${fields.map((field) => `answer(pcall(normalise, ${field.replaceAll(' ', ', ')}))`).join('\n')}
  `
}

function runLua(script: string): string[] {
  const env = { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C' }
  const lua = spawnSync('lua5.4', ['-'], { input: script, encoding: 'utf8', env })
  if (lua.error) fail(`lua5.4 must be installed to record the calendar: ${lua.error.message}`)
  if (lua.status !== 0) fail(lua.stderr.trim())
  return lua.stdout.split('\0').slice(0, -1)
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}

/** Each with the second before it. */
function limits(): bigint[] {
  const years = [-100, -99, -1, 0, 1, 100, 1000, 1901, 10_000].map((year) => utc(year, 0))
  // The year 2^31: from here on 1900 + tm_year is more than an int holds, and glibc wraps.
  const wrapping = 67767976233532800n
  const powers = [2n ** 31n, -(2n ** 31n), 2n ** 53n, -(2n ** 53n)]
  return [0n, FIRST, wrapping, LAST + 1n, ...powers, ...years].flatMap((time) => [time - 1n, time])
}

function leapDays(): bigint[] {
  const years = [-400, -100, -4, -1, 0, 1, 4, 100, 400, 1600, 1700, 1900, 1968, 1972, 2000, 2023]
  return [...years, 2024, 2100, 9999, 12_000].flatMap((year) => {
    const march = utc(year, 2)
    return [march - DAY - 1n, march - DAY, march - 1n, march]
  })
}

/** 28 years have every weekday before and after a leap year; ISO years begin within these days. */
function newYears(): bigint[] {
  return range(1996, 2023).flatMap((year) =>
    range(-3, 2).map((day) => utc(year, 0) + BigInt(day) * DAY),
  )
}

function hours(): bigint[] {
  return range(0, 23).map((hour) => utc(2025, 6) + BigInt(hour * 3661))
}

function randomTimes(): bigint[] {
  const between = (from: number, to: number): bigint =>
    utc(from, 0) + BigInt(Math.floor(random() * Number(utc(to, 0) - utc(from, 0))))
  return range(1, 32).flatMap(() => [
    between(1, 10_000),
    between(1900, 2100),
    between(-20_000, 20_000),
  ])
}

/** As os.time reads them: year month day hour min sec, months from 1. */
function singleFields(): string[] {
  const far = [-1_000_000, -400, -13, -12, -11, -3, -1, 0, 14, 24, 25, 60, 61, 366, 1_000_000]
  return far.flatMap((value) => [
    `2024 ${value} 29 12 0 0`,
    `2023 3 ${value} 12 0 0`,
    `2024 3 1 ${value} 0 0`,
    `2024 3 1 0 ${value} 0`,
    `2024 3 1 0 0 ${value}`,
  ])
}

function fieldsAtTheLimits(): string[] {
  const lastYear = INT_MAX + 1900
  const firstYear = lastYear - 2 ** 32 + 1
  return [
    `${lastYear} 12 31 23 59 59`,
    `${lastYear} 12 31 23 59 60`,
    `${lastYear} 13 1 0 0 0`,
    `${lastYear} 14 -100 0 0 0`,
    `${firstYear} 1 1 0 0 0`,
    `${firstYear} 1 1 0 0 -1`,
    `${firstYear} 0 31 0 0 0`,
    `${firstYear} -1 100 0 0 0`,
    `2024 ${INT_MAX} ${INT_MAX} ${INT_MAX} ${INT_MAX} ${INT_MAX}`,
    `2024 ${-INT_MAX} ${-INT_MAX} ${-INT_MAX} ${-INT_MAX} ${-INT_MAX}`,
  ]
}

function randomFields(): string[] {
  const spread = (size: number): number => Math.round((random() * 2 - 1) * size)
  return range(1, 60).map(() =>
    [spread(5000), spread(50), spread(1000), spread(1000), spread(1e5), spread(1e9)].join(' '),
  )
}

/** The month's first second, by JavaScript's own calendar. */
function utc(year: number, month: number): bigint {
  return BigInt(new Date(0).setUTCFullYear(year, month) / 1000)
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i)
}

/** Numbers in [0, 1), the same on every run, so that recording twice gives one file. */
function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    // A linear congruential step; low bits repeat early, and dividing keeps the high ones.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
