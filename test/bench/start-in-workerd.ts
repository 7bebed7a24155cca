/** Bundles and starts the bench's own Workers, in the workerd that the tests use. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { workerdPids } from '../soak/workerd-memory.ts'

const HOST = '127.0.0.1'
const WASM = resolve(import.meta.dirname, '../../src/vm/lua.wasm')

export interface Running {
  readonly origin: string
  readonly pid: number
  stop(): Promise<void>
}

/** @param file In `workers`. Workers can load others through the binding `LOADER`. */
export async function startInWorkerd(file: string): Promise<Running> {
  return withPid(async () => {
    const miniflare = new Miniflare(
      convertV4MiniflareOptions({
        host: HOST,
        cf: false,
        compatibilityDate: '2026-09-18',
        modules: [
          { type: 'ESModule', path: 'worker.mjs', contents: await bundle(file) },
          { type: 'CompiledWasm', path: 'lua.wasm', contents: readFileSync(WASM) },
        ],
        workerLoaders: { LOADER: {} },
        unsafeDirectSockets: [{ host: HOST, port: 0 }],
      }),
    )
    const { origin } = await miniflare.unsafeGetDirectURL()
    return { origin, stop: () => miniflare.dispose() }
  })
}

/** Finds the process id of the workerd that `start` starts. */
export async function withPid<Started extends object>(
  start: () => Promise<Started>,
): Promise<Started & { readonly pid: number }> {
  const before = workerdPids()
  const started = await start()
  const pid = workerdPids().find((one) => !before.includes(one))
  if (pid === undefined) throw new Error('workerd has not started')
  return { ...started, pid }
}

async function bundle(file: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [resolve(import.meta.dirname, 'workers', file)],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    conditions: ['workerd'],
    external: ['*.wasm'],
  })
  return outputFiles[0]!.text
}
