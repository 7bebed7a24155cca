/** The product's own Worker, with an account of the memories of WebAssembly, which V8 tells nobody. */
import worker from '../../../src/entry/workers.ts'

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

export default worker
