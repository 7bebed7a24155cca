/** A whole service, its bucket included, that can be killed without warning and started again on what is left. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { processesOf, untilGone } from '../dev/dev-server.ts'

const CHILD = fileURLToPath(new URL('kill-child.ts', import.meta.url))

/** @param persist The folder the bucket is kept in. */
export async function startKillable(persist: string) {
  const child = spawn(process.execPath, [CHILD, persist], {
    // A process group of its own: workerd, which the child starts, is in it too.
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const group = child.pid!
  const origin = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once('line', resolve)
    child.once('exit', (code) => reject(new Error(`the service ended early, with ${code}`)))
  })
  // Not when it is killed: looking takes so long that whatever was under way would be over.
  if (!processesOf(group).some((command) => command.includes('workerd'))) {
    throw new Error('workerd is not where it would be killed')
  }
  return {
    origin,
    /** Every process at once, as when a machine loses its memory; resolves when all are gone. */
    async kill() {
      process.kill(-group, 'SIGKILL')
      await untilGone(group)
    },
  }
}
