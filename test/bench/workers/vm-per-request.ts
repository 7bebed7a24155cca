/** A fresh VM for the script of each request, in one Worker that stays. */
import { loadLua } from '../../../src/vm/load-workerd.ts'
import { runOnMemory } from '../run-on-memory.ts'

export default {
  async fetch(): Promise<Response> {
    const { result } = await runOnMemory(await loadLua(), 'return 1+1')
    return new Response(String(result))
  },
}
