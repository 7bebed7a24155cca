/**
 * Draws only the rows in view. All rows have one height, and so has what is opened below a row, so
 * that every position is known without drawing.
 */

/** As in the style sheet. */
const ROW_PX = 28
const DETAIL_PX = 180
/** Rows drawn above and below the view. */
const SPARE_ROWS = 12

interface WindowParts {
  /** Scrolls; contains the other two. */
  readonly scroller: HTMLElement
  /** Has the height of all rows. */
  readonly sizer: HTMLElement
  readonly table: HTMLTableElement
  readonly body: HTMLTableSectionElement
  /** The row, and what is open below it. */
  draw(row: number): HTMLTableRowElement[]
  isOpen(row: number): boolean
}

export function rowWindow({ scroller, sizer, table, body, draw, isOpen }: WindowParts) {
  let order: readonly number[] = []
  /** Positions of open rows, ascending. */
  let open: readonly number[] = []
  let drawn = new Map<number, HTMLTableRowElement[]>()
  let frame = 0

  const topOf = (position: number) =>
    position * ROW_PX + open.filter((at) => at < position).length * DETAIL_PX

  function positionAt(y: number): number {
    let skipped = 0
    for (const at of open) {
      const detailTop = (at + 1) * ROW_PX + skipped
      if (y <= detailTop) break
      skipped += Math.min(DETAIL_PX, y - detailTop)
    }
    return Math.floor((y - skipped) / ROW_PX)
  }

  function update(): void {
    frame = 0
    const { scrollTop, clientHeight } = scroller
    sizer.style.height = `${table.tHead!.offsetHeight + topOf(order.length)}px`
    const first = Math.max(0, positionAt(scrollTop) - SPARE_ROWS)
    const last = Math.min(order.length, positionAt(scrollTop + clientHeight) + SPARE_ROWS)
    table.style.marginTop = `${topOf(first)}px`
    place(order.slice(first, last), first)
  }

  /** Leaves the rows that stay where they are, and with them the focus. */
  function place(rows: readonly number[], first: number): void {
    const next = new Map(rows.map((row) => [row, drawn.get(row) ?? draw(row)]))
    for (const [row, elements] of drawn) {
      if (next.get(row) !== elements) remove(elements)
    }
    let after = body.firstElementChild
    rows.forEach((row, i) => {
      for (const element of next.get(row)!) {
        // The head is the first row.
        element.ariaRowIndex = String(first + i + 2)
        if (element === after) after = after.nextElementSibling
        else body.insertBefore(element, after)
      }
    })
    drawn = next
  }

  function remove(elements: readonly HTMLElement[]): void {
    const hadFocus = elements.some((element) => element.contains(document.activeElement))
    for (const element of elements) element.remove()
    if (hadFocus) scroller.focus({ preventScroll: true })
  }

  /** All rows, in this order. */
  function show(rows: readonly number[]): void {
    order = rows
    open = [...order.keys()].filter((position) => isOpen(order[position]!))
    drawn.forEach(remove)
    drawn = new Map()
    update()
  }

  const later = () => (frame ||= requestAnimationFrame(update))
  scroller.addEventListener('scroll', later)
  new ResizeObserver(later).observe(scroller)
  return { show }
}
