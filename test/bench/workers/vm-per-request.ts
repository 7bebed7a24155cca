/** A fresh VM per request, in one Worker. */
import { loadLua } from '../../../src/vm/load-workerd.ts'
import { runOnMemory } from '../run-on-memory.ts'

export default {
  async fetch(): Promise<Response> {
    const { result } = await runOnMemory(await loadLua(), 'return 1+1')
    return new Response(String(result))
  },
}
