/** Moonbucket as the service runs scripts, and a bare instance of its module as the floor. */
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

/** The minimum for our module: no setup and no script. */
export const bareInstanceOfOurs: Sandbox = {
  name: BARE,
  version: VERSION,
  language: 'lua',
  async prepare() {
    const module = await loadLua()
    return () => {
      bareInstance(module)
      // The expected result.
      return START.result
    }
  },
}
