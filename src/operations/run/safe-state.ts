/** The banker's algorithm: whether all who hold memory can come to their end, one after the other. */

/** Somebody who holds memory and may need more before giving it back. */
export interface Borrower {
  readonly heldBytes: number
  readonly neededBytes: number
}

/**
 * Safe is what leaves a way out: whoever needs least can have it and then gives back everything, which
 * is enough for the next, and so on. No one needs more than there is, so that a large one can run alone.
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
