/** What functions of each size let a run have. */
import { expect, it } from 'vitest'
import { planMemory } from '../../src/entry/lambda-memory.ts'

const MIB = 1024 * 1024

it.each([
  [128, 16, 0],
  [256, 32, 0],
  [320, 64, 0],
  [512, 64, 192],
  [3008, 64, 2688],
])('a function of %i MiB gives a run %i MiB twice and others %i', (size, share, others) => {
  const { limits, admittedBytes } = planMemory(size * MIB)
  expect([limits.memoryBytes, limits.residentBytes, admittedBytes]).toEqual(
    [share, share, others].map((mebibytes) => mebibytes * MIB),
  )
})
