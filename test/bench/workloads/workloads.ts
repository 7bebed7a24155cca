/** The same algorithms in Lua and JavaScript, each with a number as proof of work. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Sandbox } from '../contestants/sandbox.ts'

export interface Workload {
  readonly id: string
  readonly title: string
  readonly lua: string
  /** Without it, only Lua contestants take part. */
  readonly javascript?: string
  readonly result: number
  readonly needsJson?: boolean
}

export const START = { lua: 'return 1+1', javascript: '1+1', bash: 'echo $((1+1))', result: 2 }

/** Small enough for 32-bit integers. */
const RANDOM = { multiplier: 3877, increment: 29573, modulus: 139968 }
const NEXT = `x = (x * ${RANDOM.multiplier} + ${RANDOM.increment}) % ${RANDOM.modulus}`

export const WORKLOADS: readonly Workload[] = [
  {
    id: 'fib',
    title: 'calls: fib(25)',
    lua: 'local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end return fib(25)',
    javascript: 'function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) } fib(25)',
    result: 75_025,
  },
  {
    id: 'tables',
    title: 'allocation: 100,000 small tables, kept',
    lua: `local all, sum = {}, 0
      for i = 1, 100000 do all[i] = { i, i % 10 } end
      for i = 1, #all do sum = sum + all[i][2] end
      return sum`,
    javascript: `let all = [], sum = 0
      for (let i = 1; i <= 100000; i++) all.push([i, i % 10])
      for (const pair of all) sum += pair[1]
      sum`,
    result: 450_000,
  },
  {
    id: 'strings',
    title: 'strings: 50,000 pieces made and joined',
    lua: `local parts = {}
      for i = 1, 50000 do parts[i] = "item " .. i end
      return #table.concat(parts, ",")`,
    javascript: `const parts = []
      for (let i = 1; i <= 50000; i++) parts.push("item " + i)
      parts.join(",").length`,
    result: 538_893,
  },
  {
    id: 'patterns',
    title: 'patterns: 40,000 words found and replaced',
    lua: `local text, count = ("hello world "):rep(20000), 0
      local changed = text:gsub("%w+", function(word) count = count + 1 return word:upper() end)
      return count + #changed`,
    javascript: `const text = "hello world ".repeat(20000)
      let count = 0
      const changed = text.replace(/[A-Za-z0-9]+/g, (word) => { count++; return word.toUpperCase() })
      count + changed.length`,
    result: 280_000,
  },
  {
    id: 'sort',
    title: 'sort: 30,000 numbers with a comparison of its own',
    lua: `local list, x = {}, 42
      for i = 1, 30000 do ${NEXT} list[i] = x end
      table.sort(list, function(a, b) return a < b end)
      return list[1] + list[15000] + list[30000]`,
    javascript: `const list = []
      let x = 42
      for (let i = 0; i < 30000; i++) { ${NEXT}; list.push(x) }
      list.sort((a, b) => a - b)
      list[0] + list[14999] + list[29999]`,
    result: sortedSum(),
  },
  {
    id: 'switches',
    title: 'coroutines: 100,000 switches there and back',
    lua: `local next_one, sum = coroutine.wrap(function() while true do coroutine.yield(1) end end), 0
      for i = 1, 100000 do sum = sum + next_one() end
      return sum`,
    javascript: `const ones = (function* () { while (true) yield 1 })()
      let sum = 0
      for (let i = 1; i <= 100000; i++) sum += ones.next().value
      sum`,
    result: 100_000,
  },
  {
    id: 'errors',
    title: 'errors: 100,000 raised and caught',
    lua: `local problem, caught = {}, 0
      local function fail() error(problem) end
      for i = 1, 100000 do if not pcall(fail) then caught = caught + 1 end end
      return caught`,
    javascript: `const problem = {}
      let caught = 0
      const fail = () => { throw problem }
      for (let i = 1; i <= 100000; i++) try { fail() } catch { caught++ }
      caught`,
    result: 100_000,
  },
  {
    id: 'json',
    title: 'JSON: 1 MB encoded and decoded',
    lua: `local rows, sum = {}, 0
      for i = 1, 12000 do
        rows[i] = { id = i, name = "item number " .. i, price = i / 4, tags = { "new", "blue" }, sold = true }
      end
      for _, row in ipairs(json.decode(json.encode(rows))) do sum = sum + row.id % 10 + #row.tags end
      return sum`,
    javascript: `const rows = []
      let sum = 0
      for (let i = 1; i <= 12000; i++) {
        rows.push({ id: i, name: "item number " + i, price: i / 4, tags: ["new", "blue"], sold: true })
      }
      for (const row of JSON.parse(JSON.stringify(rows))) sum += row.id % 10 + row.tags.length
      sum`,
    result: 78_000,
    needsJson: true,
  },
]

const JSON_IN_LUA = readFileSync(resolve(import.meta.dirname, 'json.lua'), 'utf8')

/** `undefined` if the workload does not exist in the language. */
export function scriptFor({ language, hasJson }: Sandbox, workload: Workload): string | undefined {
  if (language === 'javascript') return workload.javascript
  if (language === 'bash') return undefined
  return workload.needsJson && !hasJson ? `${JSON_IN_LUA}\n${workload.lua}` : workload.lua
}

function sortedSum(): number {
  const list: number[] = []
  for (let i = 0, x = 42; i < 30_000; i++) {
    x = (x * RANDOM.multiplier + RANDOM.increment) % RANDOM.modulus
    list.push(x)
  }
  list.sort((a, b) => a - b)
  return list[0]! + list[14_999]! + list[29_999]!
}
