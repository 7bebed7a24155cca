/** A store that waits where a test wants it to. */
import { makeGate, type Gate } from './gate.ts'
import { runtimeStorage } from './make-app.ts'
import { watchedStorage } from './watched-storage.ts'

/** A store in which `io.open("gate…")` waits until that gate is opened. */
export async function gatedStorage() {
  const gates = new Map<string, Gate>()
  const gateOf = (name: string) => {
    const gate = gates.get(name) ?? makeGate()
    gates.set(name, gate)
    return gate
  }
  const reached = makeGate()
  const storage = watchedStorage(await runtimeStorage(), async (request, key) => {
    const name = /[^/]*$/.exec(key)![0]
    if (request !== 'head' || !name.startsWith('gate')) return
    reached.open()
    await gateOf(name).opened
  })
  return { storage, reached: reached.opened, open: (name = 'gate') => gateOf(name).open() }
}
