/** Makes what is not in the repository before any test loads it: the VM's module, the catalog of APIs and the site. */
import { buildApis } from '../../src/sdk/compile/build.ts'
import { buildSite } from '../../src/site/build.ts'
import { buildLua } from '../../src/vm/build/build.ts'
import { buildDamagedLua } from './damage-lua.ts'

export default async function setup(): Promise<void> {
  await buildLua()
  buildDamagedLua()
  buildApis({ ifChanged: true })
  await buildSite({ ifChanged: true })
}
