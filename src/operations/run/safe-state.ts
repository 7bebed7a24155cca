/** The banker's algorithm: whether all holders of memory can finish, one after another. */

/** Holds memory and may need more before releasing it. */
interface Borrower {
  readonly heldBytes: number
  readonly neededBytes: number
}

/**
 * Safe if some order works: whichever needs least finishes and releases everything, which is enough
 * for the next, and so on. Needs are capped at the budget, so that a large one can run alone.
 */
export function isSafe(borrowers: readonly Borrower[], budgetBytes: number): boolean {
  let freeBytes = budgetBytes - borrowers.reduce((sum, { heldBytes }) => sum + heldBytes, 0)
  const inOrder = borrowers.toSorted((a, b) => a.neededBytes - b.neededBytes)
  return inOrder.every(({ heldBytes, neededBytes }) => {
    if (Math.min(neededBytes, budgetBytes - heldBytes) > freeBytes) return false
    freeBytes += heldBytes
    return true
  })
}
