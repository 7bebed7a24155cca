/** The VM beside what it is measured against, as ratios of one run: `npm run bench [-- --only start|metering|fuel|files]`. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { LuaFactory } from 'wasmoon'
import { readGlue } from '../../src/vm/build/build.ts'
import { makeLua } from '../../src/vm/build/make-lua.ts'
import { loadLua } from '../../src/vm/load-node.ts'
import { fuelRates } from './fuel-rates.ts'
import { best, interleave, median } from './measure.ts'
import { bareInstance, runOnMemory } from './run-on-memory.ts'

const module = await loadLua()

const milliseconds = (value: number) => `${value.toFixed(3)} ms`
const ratio = (value: number) => `${value.toFixed(2)}x`

/** A fresh VM with everything in place and `return 1+1`. */
async function start(): Promise<void> {
  const contestants = {
    fresh: () => runOnMemory(module, 'return 1+1'),
    bare: () => bareInstance(module),
  }
  await interleave(contestants, 500)
  const times = await interleave(contestants, 3000)
  const wasmoon = await interleave(
    {
      wasmoon: async () => {
        const engine = await new LuaFactory().createEngine()
        await engine.doString('return 1+1')
        engine.global.close()
      },
      fresh: contestants.fresh,
    },
    60,
  )
  console.table({
    'fresh VM, Node': { median: milliseconds(median(times.fresh)) },
    'bare instance, Node': {
      median: milliseconds(median(times.bare)),
      note: `fresh VM is ${milliseconds(median(times.fresh) - median(times.bare))} above`,
    },
    'wasmoon, fresh': {
      median: milliseconds(median(wasmoon.wasmoon)),
      note: `fresh VM is ${ratio(median(wasmoon.wasmoon) / median(wasmoon.fresh))} faster`,
    },
    ...(await startInWorkerd()),
  })
}

async function startInWorkerd() {
  const bundle = await build({
    entryPoints: [resolve(import.meta.dirname, 'start-worker.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    conditions: ['workerd'],
    external: ['*.wasm'],
  })
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      compatibilityDate: '2026-09-18',
      modules: [
        { type: 'ESModule', path: 'worker.mjs', contents: bundle.outputFiles[0]!.text },
        {
          type: 'CompiledWasm',
          path: 'lua.wasm',
          contents: readFileSync(resolve(import.meta.dirname, '../../src/vm/lua.wasm')),
        },
      ],
    }),
  )
  try {
    const runs = 300
    const ask = (what: string, count: number) => async () => {
      const answer = await miniflare.dispatchFetch(`http://localhost/?what=${what}&runs=${count}`)
      if (!answer.ok) throw new Error(await answer.text())
    }
    const contestants = { fresh: ask('fresh', runs), bare: ask('bare', runs), idle: ask('bare', 0) }
    await interleave(contestants, 5)
    const times = await interleave(contestants, 25)
    const fresh = (median(times.fresh) - median(times.idle)) / runs
    const bare = (median(times.bare) - median(times.idle)) / runs
    return {
      'fresh VM, workerd': { median: milliseconds(fresh) },
      'bare instance, workerd': {
        median: milliseconds(bare),
        note: `fresh VM is ${milliseconds(fresh - bare)} above`,
      },
    }
  } finally {
    await miniflare.dispose()
  }
}

const METERED_SCRIPTS = {
  fib: 'local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end return fib(29)',
  alloc: 'local t for i = 1, 1000000 do t = { i, i + 1 } end return #t',
  gsub: 'local s, n = ("hello world "):rep(4000), 0 for i = 1, 10 do n = n + select(2, s:gsub("%w+", string.upper)) end return n',
  sort: 'local t, x = {}, 42 for i = 1, 100000 do x = (x * 1103515245 + 12345) % 2147483648 t[i] = x end table.sort(t) return t[1]',
  loop: 'local x = 0 for i = 1, 15000000 do x = x + i % 7 end return x',
  find: 'local s = ("a"):rep(300) return s:find(".-.-b")',
  concat:
    'local n = 0 for i = 1, 40 do local t = {} for j = 1, 5000 do t[j] = "item " .. j end n = n + #table.concat(t, ",") end return n',
}

/** What metering costs, script by script. */
async function metering(): Promise<void> {
  const unmetered = await WebAssembly.compile(
    makeLua(readGlue(), { metered: false }) as BufferSource,
  )
  const rows: Record<string, object> = {}
  for (const [name, script] of Object.entries(METERED_SCRIPTS)) {
    let units = 0
    const times = await interleave(
      {
        metered: async () => (units = await runOnMemory(module, script)),
        unmetered: () => runOnMemory(unmetered, script),
      },
      15,
    )
    rows[name] = {
      metered: milliseconds(best(times.metered)),
      unmetered: milliseconds(best(times.unmetered)),
      best: ratio(best(times.metered) / best(times.unmetered)),
      median: ratio(median(times.metered) / median(times.unmetered)),
      'fuel/s': `${Math.round(units / best(times.metered) / 1000)} M`,
    }
  }
  console.table(rows)
}

const LINES = 500_000
const FILE_SCRIPTS = {
  'write lines': `local f = io.open("lines.txt", "w") for i = 1, ${LINES} do f:write("line ", i, " of some text\\n") end f:close()`,
  'read lines': 'local n = 0 for line in io.lines("lines.txt") do n = n + #line end',
  'read blocks':
    'local n, f = 0, io.open("lines.txt") while true do local b = f:read(65536) if not b then break end n = n + #b end',
}

/** Files beside native Lua on disk; the time native takes to start is taken off. */
async function files(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'moonbucket-bench-'))
  const native = (script: string) => () => {
    writeFileSync(join(folder, 'script'), script)
    execFileSync('lua5.4', ['script'], { cwd: folder })
  }
  try {
    const rows: Record<string, object> = {}
    for (const [name, script] of Object.entries(FILE_SCRIPTS)) {
      const times = await interleave(
        { ours: () => runOnMemory(module, script), native: native(script), idle: native('') },
        15,
      )
      const nativeBest = best(times.native) - best(times.idle)
      const nativeMedian = median(times.native) - median(times.idle)
      rows[name] = {
        ours: milliseconds(best(times.ours)),
        native: milliseconds(nativeBest),
        best: ratio(best(times.ours) / nativeBest),
        median: ratio(median(times.ours) / nativeMedian),
      }
    }
    console.table(rows)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Work of every kind beside plain code: a large number is work that is too cheap. */
async function fuel(): Promise<void> {
  const rates = Object.entries(await fuelRates(module)).sort(([, a], [, b]) => b - a)
  console.table(
    Object.fromEntries(rates.map(([what, rate]) => [what, { 'time per unit': ratio(rate) }])),
  )
}

const PARTS = { start, metering, fuel, files }
const only = process.argv[process.argv.indexOf('--only') + 1]
for (const [name, part] of Object.entries(PARTS)) {
  if (process.argv.includes('--only') && only !== name) continue
  console.info(`\n${name}`)
  await part()
}
