/** The product's Worker with a test API; counts WebAssembly memory, which V8 does not report. */
import { env } from 'cloudflare:workers'
import { r2App } from '../../../src/entry/workers/r2.ts'
import type { CatalogTexts } from '../../../src/sdk/catalog/catalog.ts'

const memories: WeakRef<WebAssembly.Memory>[] = []
const { Instance } = WebAssembly

WebAssembly.Instance = class extends Instance {
  constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
    super(module, imports)
    const found = Object.values(this.exports).filter((value) => value instanceof WebAssembly.Memory)
    memories.push(...found.map((memory) => new WeakRef(memory)))
  }
}

/** Bytes that are not collected yet, for a debugger to ask. */
Object.assign(globalThis, {
  memoryOfVms: () =>
    memories.reduce((sum, memory) => sum + (memory.deref()?.buffer.byteLength ?? 0), 0),
})

const { CATALOG } = env as unknown as { readonly CATALOG?: string }

export default await r2App(CATALOG ? { catalog: JSON.parse(CATALOG) as CatalogTexts } : {})
