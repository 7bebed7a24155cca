/** isolated-vm: a V8 isolate per script. Slow to create, fast to run. */
import { importPeer, versionOf } from '../peers.ts'
import type { Sandbox } from './sandbox.ts'

export const ISOLATED_VM = 'isolated-vm'

interface Isolate {
  createContext(): Promise<{ eval(code: string): Promise<unknown> }>
  dispose(): void
}

interface Exports {
  readonly default: { readonly Isolate: new (options: { memoryLimit: number }) => Isolate }
}

export const isolatedVm: Sandbox = {
  name: ISOLATED_VM,
  version: versionOf(ISOLATED_VM),
  language: 'javascript',
  async prepare() {
    const { Isolate } = (await importPeer<Exports>(ISOLATED_VM)).default
    return async (script) => {
      const isolate = new Isolate({ memoryLimit: 64 })
      const context = await isolate.createContext()
      const result = await context.eval(script)
      isolate.dispose()
      return result
    }
  },
}
