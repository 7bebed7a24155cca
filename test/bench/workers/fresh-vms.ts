/** Starts VMs in workerd. The caller measures the time: workerd's clock is unreliable. */
import { loadLua } from '../../../src/vm/load-workerd.ts'
import { bareInstance, runOnMemory } from '../run-on-memory.ts'

export default {
  async fetch(request: Request): Promise<Response> {
    const { searchParams } = new URL(request.url)
    const module = await loadLua()
    const isBare = searchParams.get('what') === 'bare'
    for (let runs = Number(searchParams.get('runs')); runs > 0; runs--) {
      if (isBare) bareInstance(module)
      else await runOnMemory(module, 'return 1+1')
    }
    return new Response()
  },
}
