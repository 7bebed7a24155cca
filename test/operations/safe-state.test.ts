/** Whether those who hold memory can all finish, one after the other. */
import { expect, it } from 'vitest'
import { isSafe } from '../../src/operations/run/safe-state.ts'

const borrower = (heldBytes: number, neededBytes: number) => ({ heldBytes, neededBytes })

it.each([
  ['nobody', 0, [], true],
  ['one that needs what is free', 100, [borrower(40, 60)], true],
  ['one that may need more than there is', 100, [borrower(40, 1000)], true],
  ['one that holds more than there is', 100, [borrower(101, 1)], true],
  ['two that need what the other holds', 100, [borrower(50, 10), borrower(50, 10)], false],
  ['two of which the first can finish', 70, [borrower(50, 10), borrower(10, 60)], true],
  ['two of which the second can finish', 70, [borrower(10, 60), borrower(50, 10)], true],
  ['two of which one would lack room', 70, [borrower(10, 60), borrower(49, 12)], false],
])('%s: of %i bytes', (_, budgetBytes, borrowers, isGood) => {
  expect(isSafe(borrowers, budgetBytes)).toBe(isGood)
})
