/** The product's Worker with a test API; counts WebAssembly memory, which V8 does not report. */
import { env } from 'cloudflare:workers'
import { r2App } from '../../../src/entry/workers/r2.ts'
import type { CatalogTexts } from '../../../src/sdk/catalog/catalog.ts'

const memories: WeakRef<WebAssembly.Memory>[] = []
const known = new WeakSet<WebAssembly.Memory>()
const { Instance } = WebAssembly

WebAssembly.Instance = class extends Instance {
  constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
    super(module, imports)
    for (const memory of Object.values(this.exports)) {
      if (!(memory instanceof WebAssembly.Memory) || known.has(memory)) continue
      known.add(memory)
      memories.push(new WeakRef(memory))
    }
  }
}

/** Bytes that are not collected yet, for a debugger to ask. */
Object.assign(globalThis, {
  memoryOfVms: () =>
    memories.reduce((sum, memory) => sum + (memory.deref()?.buffer.byteLength ?? 0), 0),
})

const { CATALOG } = env as unknown as { readonly CATALOG?: string }

export default await r2App(CATALOG ? { catalog: JSON.parse(CATALOG) as CatalogTexts } : {})
