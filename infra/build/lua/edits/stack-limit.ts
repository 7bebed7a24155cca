/** Limits the stack, so that infinite recursion ends in "stack overflow", as in native Lua. */
import { replaceExactly, type Edit } from '../wat.ts'

/** A call takes a few slots. Fits into 32 MiB including call frames. */
export const MAX_SLOTS = 340_000
const STOCK_SLOTS = 1_000_000
const SLOT_BYTES = 16
/** Extra slots while a stack overflow is being handled. */
const ERROR_SLOTS = 200

/**
 * Stock Lua's stack can grow to a million slots, which takes over 64 MiB with call frames and the
 * copy made while growing: scripts would get a misleading "not enough memory".
 */
export const stackLimit: Edit = {
  name: 'the stack is limited to what memory allows',
  apply(module) {
    const limit = (text: string, stock: number, count: number, by: number) =>
      replaceExactly(text, `(i32.const ${stock})`, count, `(i32.const ${by})`)

    module.editFunction('$luaD_growstack', (stock) => {
      let text = limit(stock, STOCK_SLOTS * SLOT_BYTES + 1, 1, MAX_SLOTS * SLOT_BYTES + 1)
      text = limit(text, STOCK_SLOTS + ERROR_SLOTS, 1, MAX_SLOTS + ERROR_SLOTS)
      text = limit(text, STOCK_SLOTS - 1, 1, MAX_SLOTS - 1)
      return limit(text, STOCK_SLOTS, 3, MAX_SLOTS)
    })
    module.editFunction('$luaD_shrinkstack', (stock) =>
      limit(limit(stock, STOCK_SLOTS - 1, 1, MAX_SLOTS - 1), STOCK_SLOTS, 3, MAX_SLOTS),
    )
  },
}
