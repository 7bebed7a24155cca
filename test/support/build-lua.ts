/** Makes the VM's module before any test loads it. */
import { buildLua } from '../../src/vm/build/build.ts'

export default async function setup(): Promise<void> {
  await buildLua()
}
