/** Function table slots for C functions that the edits add. */
import { expectCount, type Wat } from './wat.ts'

const STOCK_SLOTS = 198

export class TableSlots {
  #functions: string[] = []

  /** Allocates a slot on first use. */
  slotOf(name: string): number {
    const at = this.#functions.indexOf(name)
    return STOCK_SLOTS + (at < 0 ? this.#functions.push(name) - 1 : at)
  }

  addTo(module: Wat): void {
    const slots = STOCK_SLOTS + this.#functions.length
    module.replace(`(table $0 ${STOCK_SLOTS} funcref)`, `(table $0 ${slots} ${slots} funcref)`)
    module.add(`(elem (i32.const ${STOCK_SLOTS}) ${this.#functions.join(' ')})`)
  }
}

/** Replaces a stock function in its slot, so that the stock libraries register the replacement. */
export function takeSlot(module: Wat, stock: string, replacement: string): void {
  const slots = module.find('(elem $0').split(/(?=[ )])/)
  expectCount(stock, 1, slots.filter((slot) => slot === ` ${stock}`).length)
  const changed = slots.map((slot) => (slot === ` ${stock}` ? ` ${replacement}` : slot))
  module.replace('(elem $0', changed.join(''))
}
