/** The scheduled sweep: what it deletes, what it leaves, and where it goes on. */
import { describe, expect, it } from 'vitest'
import { sweep } from '../../../src/operations/sweep/sweep.ts'
import { newTombstone, TOMBSTONE_BYTES } from '../../../src/files/store/marks.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import type { StorageDriver } from '../../../src/storage/driver.ts'
import { makeRunsApp } from '../../support/run-queue.ts'
import { watchedStorage } from '../../support/watched-storage.ts'

const DAY_MS = 24 * 3_600_000
const KEY = { 'Idempotency-Key': 'x' }
const bytes = new TextEncoder().encode('x')

describe('the sweep', () => {
  it('deletes runs and keys after their time, and nothing else', async () => {
    const made = await makeRunsApp({ storage: memoryStorage(), env: { RUN_DAYS: '2' } })
    const { start, deliver, post, run, pass, service, stored } = made
    await run('file.save("a", "1") file.save("share/records/b", "2")')
    await start('print("x") file.save("c", "1") return 1')
    await post({ script: 'return 1' }, KEY)
    await deliver()
    const before = await stored()
    await sweep(service)
    expect(await stored()).toEqual(before)

    pass(1.9 * DAY_MS)
    const { id } = await start('return 1')
    await deliver()
    pass(0.2 * DAY_MS)
    await sweep(service)
    const left = Object.keys(await stored())
    expect(left.filter((key) => !key.startsWith('runs/'))).toEqual([
      'share/records/b',
      'users/alice/a',
      'users/alice/c',
    ])
    expect(left.filter((key) => key.startsWith('runs/') && !key.includes('/keys/'))).toEqual([
      expect.stringContaining(`/answers/${id}/`),
      expect.stringContaining(`/records/${id}`),
    ])
    expect(await made.get(id)).toMatchObject({ status: 'succeeded' })
  })

  it('leaves alone what only looks like a run', async () => {
    const { storage, service, pass } = await makeRunsApp({ storage: memoryStorage() })
    const id = 'f'.repeat(24)
    const keys = [
      `t/share/runs/default/records/${id}`,
      `t/users/runs/records/${id}`,
      `t/default/runs/default/records/${id}`,
      `t/runs/default/records/${id}0`,
      `t/runs/other/records/${id}`,
      `runs/default/records/${id}`,
      `a/t/runs/default/records/${id}`,
    ]
    for (const key of keys) await storage.put(key, bytes)
    pass(100 * 365 * DAY_MS)
    await sweep(service)
    for (const key of keys) expect([key, await storage.head(key)]).toEqual([key, expect.anything()])
  })

  it('keeps to its own part of the bucket', async () => {
    const { storage, service, pass } = await makeRunsApp({
      storage: memoryStorage(),
      env: { KEY_PREFIX: 'ours' },
    })
    const record = `t/runs/default/records/${'f'.repeat(24)}`
    for (const prefix of ['ours/', 'theirs/', 'ours2/', ''])
      await storage.put(prefix + record, bytes)
    pass(10 * DAY_MS)
    await sweep(service)
    expect(await storage.head(`ours/${record}`)).toBeNull()
    for (const prefix of ['theirs/', 'ours2/', '']) {
      expect(await storage.head(prefix + record)).not.toBeNull()
    }
  })

  it('deletes marks of used links and of runs that never began', async () => {
    const { storage, service, pass } = await makeRunsApp({ storage: memoryStorage() })
    const old = `t/used-links/${(1).toString(16).padStart(8, '0')}-0123`
    const fresh = `t/used-links/ffffffff-0123`
    const mark = `t/runs/active/users/alice/${'f'.repeat(24)}`
    const inside = (link: string) => [`${link}4/mark-0`, `${link}4/receipts/0`]
    for (const key of [old, fresh, mark, ...inside(old), ...inside(fresh)]) {
      await storage.put(key, bytes)
    }
    await sweep(service)
    for (const key of [old, ...inside(old)]) expect(await storage.head(key)).toBeNull()
    for (const key of [fresh, ...inside(fresh)]) expect(await storage.head(key)).not.toBeNull()
    expect(await storage.head(mark)).not.toBeNull()
    pass(2 * 3_600_000)
    await sweep(service)
    expect(await storage.head(mark)).toBeNull()
  })

  it('deletes tombstones that were left behind, on stores that have them', async () => {
    const { deleteIf: _, ...plain } = memoryStorage()
    // As old as its metadata says.
    const aged: StorageDriver = {
      ...plain,
      async head(key, options) {
        const info = await plain.head(key, options)
        return info && { ...info, modifiedAt: new Date(0) }
      },
      async *list(prefix, options) {
        for await (const entry of plain.list(prefix, options)) {
          const object = entry.kind === 'object' && { ...entry.object, modifiedAt: new Date(0) }
          yield object ? { kind: 'object', object } : entry
        }
      },
    }
    const { service } = await makeRunsApp({ storage: aged })
    const key = 't/users/alice/moved'
    await plain.put(key, bytes)
    const { body, options } = newTombstone((await plain.head(key))!)
    await plain.put(key, body, options)
    await plain.put('t/users/alice/same-size', new Uint8Array(TOMBSTONE_BYTES))
    await sweep(service)
    expect(await plain.head(key)).toBeNull()
    expect(await plain.head('t/users/alice/same-size')).not.toBeNull()
  })

  it('that has to stop goes on where it was', async () => {
    const inner = memoryStorage()
    const listed: (string | undefined)[] = []
    const storage = watchedStorage(inner, (request, _key, options?: { startAfter?: string }) => {
      if (request === 'list') listed.push(options?.startAfter)
    })
    const { service } = await makeRunsApp({ storage })
    const id = 'f'.repeat(24)
    for (let i = 0; i < 1_500; i++) {
      await inner.put(`t/runs/default/log/${id}/${String(i).padStart(6, '0')}`, bytes)
    }
    const limits = { ...service.config.limits, subrequests: 2_000 }
    const limited = { ...service, config: { ...service.config, limits } }
    await sweep(limited)
    expect(await inner.head(`t/runs/default/log/${id}/000999`)).toBeNull()
    expect(await inner.head(`t/runs/default/log/${id}/001000`)).not.toBeNull()
    await sweep(limited)
    expect(listed.filter(Boolean)).toEqual([`t/runs/default/log/${id}/000999`])
    expect(await inner.head(`t/runs/default/log/${id}/001499`)).toBeNull()
    expect(await inner.head('.sweep/position')).toBeNull()
  })

  it('survives a store that fails', async () => {
    let fails = false
    const storage = watchedStorage(memoryStorage(), (request) => {
      if (fails && request === 'delete') throw new Error('down')
    })
    const { service, events } = await makeRunsApp({ storage })
    await storage.put(`t/runs/default/records/${'f'.repeat(24)}`, bytes)
    fails = true
    await sweep(service)
    expect(events).toMatchObject([{ event: 'fault', where: 'sweep' }])
    fails = false
    await sweep(service)
    expect(events.at(-1)).toMatchObject({ event: 'sweep', listed: 1, deleted: 1 })
  })
})
