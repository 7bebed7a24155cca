/** A shell for agents with files in memory: no language to compare, but the same wish for a fresh place. */
import { importPeer, versionOf } from '../peers.ts'
import type { Sandbox } from './sandbox.ts'

const JUST_BASH = 'just-bash'

interface Exports {
  readonly Bash: new () => { exec(script: string): Promise<{ stdout: string }> }
}

export const justBash: Sandbox = {
  name: JUST_BASH,
  version: versionOf(JUST_BASH),
  language: 'bash',
  async prepare() {
    const { Bash } = await importPeer<Exports>(JUST_BASH)
    return async (script) => Number((await new Bash().exec(script)).stdout)
  },
}
