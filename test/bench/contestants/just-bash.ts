/** just-bash: a shell for agents with files in memory. Compared for startup only. */
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
