/** Makes what is not in the repository before any test loads it: the VM's module and the catalog of APIs. */
import { buildApis } from '../../src/sdk/compile/build.ts'
import { buildLua } from '../../src/vm/build/build.ts'

export default async function setup(): Promise<void> {
  await buildLua()
  buildApis({ ifChanged: true })
}
