/** Waiting that a signal can end. */
import { describe, expect, it, vi } from 'vitest'
import { pause, untilAborted } from '../../src/lib/abort.ts'

const REASON = new Error('over')

describe.each([
  ['untilAborted', (signal: AbortSignal) => untilAborted(signal, () => new Promise(() => {}))],
  ['pause', (signal: AbortSignal) => pause(60_000, signal)],
])('%s', (_, wait) => {
  it('rejects with the reason of an aborted signal', async () => {
    const ending = new AbortController()
    const waiting = wait(ending.signal)
    ending.abort(REASON)
    await expect(waiting).rejects.toBe(REASON)
    await expect(wait(ending.signal)).rejects.toBe(REASON)
  })

  it('leaves no listener behind', async () => {
    const { signal, abort } = listenedTo()
    const waiting = wait(signal)
    abort()
    await expect(waiting).rejects.toBe(REASON)
    expect(signal.removeEventListener).toHaveBeenCalledOnce()
  })
})

describe('untilAborted', () => {
  it('starts nothing for an aborted signal', async () => {
    const work = vi.fn(() => Promise.resolve(1))
    await expect(untilAborted(AbortSignal.abort(REASON), work)).rejects.toBe(REASON)
    expect(work).not.toHaveBeenCalled()
  })

  it.each([undefined, new AbortController().signal])('passes on the result', async (signal) => {
    expect(await untilAborted(signal, () => Promise.resolve(1))).toBe(1)
    await expect(untilAborted(signal, () => Promise.reject(REASON))).rejects.toBe(REASON)
    const throwing = () => {
      throw REASON
    }
    await expect(untilAborted(signal, throwing)).rejects.toBe(REASON)
  })
})

function listenedTo() {
  const ending = new AbortController()
  vi.spyOn(ending.signal, 'removeEventListener')
  return { signal: ending.signal, abort: () => ending.abort(REASON) }
}
