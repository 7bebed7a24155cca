/** The orders and customers of the demo shop: made by arithmetic, the same every time. */

export const ORDERS = 12_000
export const CUSTOMERS = 400
export const STATUSES = ['open', 'paid', 'shipped', 'returned'] as const

export const PRODUCTS: Readonly<Record<string, number>> = {
  lamp: 39.9,
  desk: 249,
  chair: 119.5,
  shelf: 89,
  rug: 149.95,
  clock: 24.9,
  mug: 8.5,
}

const COUNTRIES = ['DE', 'FR', 'NL', 'PL', 'ES', 'IT', 'SE', 'AT']
const FIRST_NAMES = [
  'Ada',
  'Ben',
  'Chloe',
  'Dario',
  'Emil',
  'Fatima',
  'Greta',
  'Hugo',
  'Ines',
  'Jan',
]
const LAST_NAMES = ['Meyer', 'Duval', 'de Vries', 'Nowak', 'Garcia', 'Rossi', 'Berg', 'Huber']

const FIRST_ORDER = Date.UTC(2025, 0, 1)
/** One year of orders. */
const BETWEEN_ORDERS_MS = (365 * 86_400_000) / ORDERS

export interface Order {
  readonly id: number
  readonly customer_id: number
  readonly placed_at: string
  readonly status: (typeof STATUSES)[number]
  readonly country: string
  readonly items: readonly {
    readonly product: string
    readonly quantity: number
    readonly price: number
  }[]
  readonly total: number
}

export interface Customer {
  readonly id: number
  readonly name: string
  readonly email: string
  readonly country: string
}

export function customerOf(id: number): Customer {
  const first = FIRST_NAMES[id % FIRST_NAMES.length]!
  const last = LAST_NAMES[scatter(id) % LAST_NAMES.length]!
  return {
    id,
    name: `${first} ${last}`,
    email: `${first.toLowerCase()}.${id}@shop.example`,
    country: COUNTRIES[scatter(id + 1) % COUNTRIES.length]!,
  }
}

export function orderOf(id: number): Order {
  const customer_id = 1 + (scatter(id) % CUSTOMERS)
  const names = Object.keys(PRODUCTS)
  const items = Array.from({ length: 1 + (scatter(id + 2) % 3) }, (_, line) => {
    const product = names[scatter(id * 4 + line) % names.length]!
    return { product, quantity: 1 + (scatter(id + line) % 4), price: PRODUCTS[product]! }
  })
  const cents = items.reduce((sum, { quantity, price }) => sum + quantity * price * 100, 0)
  return {
    id,
    customer_id,
    placed_at: new Date(FIRST_ORDER + (id - 1) * BETWEEN_ORDERS_MS).toISOString(),
    status: STATUSES[scatter(id + 3) % STATUSES.length]!,
    country: customerOf(customer_id).country,
    items,
    total: Math.round(cents) / 100,
  }
}

/** A fixed, evenly distributed number for each integer: the finalizer of MurmurHash3. */
function scatter(n: number): number {
  let mixed = Math.imul(n ^ (n >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
