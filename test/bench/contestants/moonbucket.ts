/** Ours, as the service runs a script; and an instance of the same module alone, to know what is ours of that. */
import { loadLua } from '../../../src/vm/load-node.ts'
import { VERSION } from '../../../src/version.ts'
import { bareInstance, runOnMemory } from '../run-on-memory.ts'
import { START } from '../workloads/workloads.ts'
import type { Sandbox } from './sandbox.ts'

export const OURS = 'Moonbucket'
export const BARE = 'bare instance of our module'

export const moonbucket: Sandbox = {
  name: OURS,
  version: VERSION,
  language: 'lua',
  hasJson: true,
  async prepare() {
    const module = await loadLua()
    return async (script) => (await runOnMemory(module, script)).result
  },
}

/** The least that a VM of our module can take: nothing is prepared in it and no script is run. */
export const bareInstanceOfOurs: Sandbox = {
  name: BARE,
  version: VERSION,
  language: 'lua',
  async prepare() {
    const module = await loadLua()
    return () => {
      bareInstance(module)
      // What a script would have answered.
      return START.result
    }
  },
}
