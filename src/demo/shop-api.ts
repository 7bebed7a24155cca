/** The demo API, described in `examples/shop.yaml`: something to call in the first minute. */
import { Hono, type Context } from 'hono'
import { CUSTOMERS, customerOf, ORDERS, orderOf, PRODUCTS, STATUSES } from './shop-data.ts'

const MAX_ORDERS = 1000
const MAX_CUSTOMERS = 200

/** Stateless but for the requests to `/stock`, of which every third fails. */
export function shopApi(): Hono {
  let stockRequests = 0
  const app = new Hono()
  app.notFound((c) => refuse(c, 404, 'There is nothing at this address.'))

  app.get('/orders', (c) => {
    const { status, country, since = '', cursor = '0' } = c.req.query()
    const limit = numberIn(c.req.query('limit') ?? '100', MAX_ORDERS)
    if (limit === undefined) return refuse(c, 400, `limit must be from 1 to ${MAX_ORDERS}`)
    if (status !== undefined && !STATUSES.includes(status as never)) {
      return refuse(c, 400, `status must be one of ${STATUSES.join(', ')}`)
    }
    if (!/^\d{1,6}$/.test(cursor)) return refuse(c, 400, 'this is not a cursor of ours')
    const data = []
    let id = Number(cursor)
    while (data.length < limit && id < ORDERS) {
      const order = orderOf(++id)
      const isWanted =
        (status === undefined || order.status === status) &&
        (country === undefined || order.country === country) &&
        order.placed_at >= since
      if (isWanted) data.push(order)
    }
    return c.json({ data, next_cursor: id < ORDERS ? String(id) : null })
  })

  app.get('/orders/:id', (c) => {
    const id = numberIn(c.req.param('id'), ORDERS)
    return id === undefined ? refuse(c, 404, 'There is no such order.') : c.json(orderOf(id))
  })

  app.get('/customers', (c) => {
    const perPage = numberIn(c.req.query('per_page') ?? '50', MAX_CUSTOMERS)
    const page = numberIn(c.req.query('page') ?? '1', CUSTOMERS)
    if (perPage === undefined) return refuse(c, 400, `per_page must be from 1 to ${MAX_CUSTOMERS}`)
    if (page === undefined) return refuse(c, 400, `page must be from 1 to ${CUSTOMERS}`)
    const before = (page - 1) * perPage
    const count = Math.max(0, Math.min(perPage, CUSTOMERS - before))
    if (before + count < CUSTOMERS) {
      const next = new URL(c.req.url)
      next.searchParams.set('page', String(page + 1))
      c.header('Link', `<${next.href}>; rel="next"`)
    }
    return c.json(Array.from({ length: count }, (_, i) => customerOf(before + i + 1)))
  })

  app.get('/customers/:id', (c) => {
    const id = numberIn(c.req.param('id'), CUSTOMERS)
    return id === undefined ? refuse(c, 404, 'There is no such customer.') : c.json(customerOf(id))
  })

  app.get('/stock/:product', (c) => {
    const product = c.req.param('product')
    if (!Object.hasOwn(PRODUCTS, product)) return refuse(c, 404, 'There is no such product.')
    if (++stockRequests % 3 === 0) {
      c.header('Retry-After', '1')
      return refuse(c, 503, 'Too busy at the moment.')
    }
    return c.json({ product, left: (product.length * 37) % 50 })
  })

  app.get('/export', (c) => {
    c.header('Content-Disposition', 'attachment; filename="orders.csv.gz"')
    c.header('Content-Type', 'application/gzip')
    return c.body(csvOfOrders().pipeThrough(new CompressionStream('gzip')))
  })
  return app
}

function refuse(c: Context, status: 400 | 404 | 503, message: string): Response {
  return c.json({ message }, status)
}

/** A decimal number from 1 to `max`. */
function numberIn(text: string, max: number): number | undefined {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0
  return value >= 1 && value <= max ? value : undefined
}

function csvOfOrders(): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder()
  const PER_CHUNK = 500
  let id = 0
  return new ReadableStream({
    start(controller) {
      controller.enqueue(encoder.encode('id,customer_id,placed_at,status,country,total\n'))
    },
    pull(controller) {
      const count = Math.min(PER_CHUNK, ORDERS - id)
      const rows = Array.from({ length: count }, () => {
        const { customer_id, placed_at, status, country, total } = orderOf(++id)
        return `${id},${customer_id},${placed_at},${status},${country},${total}\n`
      })
      controller.enqueue(encoder.encode(rows.join('')))
      if (id === ORDERS) controller.close()
    },
  })
}
