/** A computing script pauses by the clock, or by fuel where clocks stand still. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FuelTank } from '../../../src/vm/limits/fuel-tank.ts'
import type { LuaExports } from '../../../src/vm/lua-exports.ts'

/** The number of slices after which a script pauses where no clock runs. */
const SLICES = 8

let tank: FuelTank

/** @param ms What a slice takes, as the clock tells it. */
function useSlices(count: number, ms: number): void {
  for (let slice = 0; slice < count; slice++) {
    vi.setSystemTime(Date.now() + ms)
    tank.startSlice()
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const globals = { fuel: { value: 0n }, bottom: { value: 0n }, budget: { value: 0n } }
  tank = new FuelTank(globals as unknown as LuaExports, 1e9)
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a pause is due', () => {
  it('after some slices, where the clock stands still', () => {
    useSlices(SLICES - 1, 0)
    expect(tank.isPauseDue).toBe(false)
    useSlices(1, 0)
    expect(tank.isPauseDue).toBe(true)
    tank.pausedSince(Date.now())
    expect(tank.isPauseDue).toBe(false)
  })

  it('after 50 ms and not before, where it runs', () => {
    useSlices(49, 1)
    expect(tank.isPauseDue).toBe(false)
    useSlices(1, 1)
    expect(tank.isPauseDue).toBe(true)
    tank.pausedSince(Date.now())
    useSlices(49, 1)
    expect(tank.isPauseDue).toBe(false)
  })

  it('sooner, the longer its pauses last', () => {
    useSlices(50, 1)
    const from = Date.now()
    // It has had a quarter of the time, so it gets a quarter of a turn of 120 ms.
    vi.setSystemTime(from + 150)
    tank.pausedSince(from)
    useSlices(29, 1)
    expect(tank.isPauseDue).toBe(false)
    useSlices(1, 1)
    expect(tank.isPauseDue).toBe(true)
  })

  it('after some slices, where it moves on during waits only', () => {
    vi.setSystemTime(Date.now() + 20)
    tank.hasWaited()
    useSlices(SLICES, 0)
    expect(tank.isPauseDue).toBe(true)
    const from = Date.now()
    vi.setSystemTime(from + 5)
    tank.pausedSince(from)
    useSlices(SLICES, 0)
    expect(tank.isPauseDue).toBe(true)
  })
})
