/** What functions of each size let a run have. */
import { expect, it } from 'vitest'
import { planMemory } from '../../src/entry/lambda/memory.ts'

const MIB = 1024 * 1024

it.each([
  [128, 16, 0],
  [256, 32, 64],
  [320, 64, 128],
  [512, 64, 320],
  [3008, 64, 2816],
])('a function of %i MiB gives a run %i MiB twice and all together %i', (size, share, all) => {
  const { limits, budgetBytes } = planMemory(size * MIB)
  expect([limits.memoryBytes, limits.residentBytes, budgetBytes]).toEqual(
    [share, share, all].map((mebibytes) => mebibytes * MIB),
  )
})
