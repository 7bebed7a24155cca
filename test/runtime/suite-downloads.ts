/** Downloads in a runtime whose files are in S3: they pass through while they come. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callerOf } from '../support/caller.ts'
import { START_MS, VARS, type Runtime, type StartRuntime } from './runtime.ts'
import { HALVES, startStallingStore, type StallingStore } from './stalling-store.ts'

export function describeDownloads(name: string, start: StartRuntime): void {
  describe(`a download from ${name}`, () => {
    let store: StallingStore | undefined
    let runtime: Runtime | undefined

    beforeAll(async () => {
      store = await startStallingStore()
      runtime = await start({ ...VARS, ...store.vars })
    }, START_MS)

    afterAll(async () => {
      await runtime?.stop()
      await store?.stop()
    })

    const { send } = callerOf(() => runtime!.origin)

    async function begin() {
      const response = await send('downloads', '/fs/content?path=a.txt')
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
      expect((await reader.read()).value).toBe(HALVES[0])
      return reader
    }

    it('begins before the store has sent it all', async () => {
      const reader = await begin()
      store!.finish()
      expect((await reader.read()).value).toBe(HALVES[1])
      expect((await reader.read()).done).toBe(true)
    })

    it('does not pass for whole when the store breaks it off', async () => {
      const reader = await begin()
      store!.breakOff()
      await expect(reader.read()).rejects.toThrow()
      const { status } = await send('downloads', '/health')
      expect(status).toBe(200)
    })
  })
}
