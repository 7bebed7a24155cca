/** Functions found by words: ranking, synonyms and word forms. */
import { describe, expect, it } from 'vitest'
import type { CallEntry, Catalog } from '../../../src/sdk/catalog/catalog.ts'
import { similarity, stemOf, wordsOf } from '../../../src/sdk/search/query.ts'
import { searchFunctions } from '../../../src/sdk/search/search.ts'
import { makeCatalog } from '../../support/make-catalog.ts'

const SHOP: Readonly<Record<string, readonly [method: string, path: string, summary: string]>> = {
  list_orders: ['GET', '/orders', 'List orders'],
  get_order: ['GET', '/orders/{id}', 'Get an order'],
  create_order: ['POST', '/orders', 'Create an order'],
  update_order: ['PATCH', '/orders/{id}', 'Update an order'],
  delete_order: ['DELETE', '/orders/{id}', 'Delete an order'],
  list_customers: ['GET', '/customers', 'List customers'],
  create_invitation: ['POST', '/invitations', 'Create an invitation'],
  list_invoices_of_order: ['GET', '/orders/{id}/invoices', 'List the invoices of an order'],
  get_authenticated_customer: ['GET', '/me', 'Get the authenticated customer'],
  get_übersicht: ['GET', '/übersicht', 'Übersicht'],
}

function catalogOf(
  apis: Readonly<Record<string, typeof SHOP>>,
  more: Record<string, Partial<CallEntry>> = {},
): Catalog {
  return makeCatalog(
    mapValues(apis, (functions) => ({
      calls: mapValues(functions, ([method, path, summary], name) => ({
        method,
        path,
        summary,
        ...(name.startsWith('old_') && { isDeprecated: true as const }),
        ...more[name],
      })),
    })),
  )
}

function mapValues<T, U>(
  record: Readonly<Record<string, T>>,
  map: (value: T, name: string) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]))
}

const shop = catalogOf({ shop: SHOP })
const namesFor = (question: string, catalog = shop) =>
  searchFunctions(catalog, question).map(({ name }) => name)

describe('a search', () => {
  it.each([
    ['list orders', 'shop.list_orders'],
    ['orders', 'shop.list_orders'],
    ['which orders are there?', 'shop.list_orders'],
    ['create an order', 'shop.create_order'],
    ['How do I add a new order', 'shop.create_order'],
    ['open an order', 'shop.create_order'],
    ['open orders', 'shop.list_orders'],
    ['change an order', 'shop.update_order'],
    ['remove an order', 'shop.delete_order'],
    ['invoices of an order', 'shop.list_invoices_of_order'],
    ['invite someone', 'shop.create_invitation'],
    ['my account', 'shop.get_authenticated_customer'],
    ['ÜBERSICHT', 'shop.get_übersicht'],
    ['listCustomers', 'shop.list_customers'],
  ])('for %j finds %s first', (question, name) => {
    expect(namesFor(question)[0]).toBe(name)
  })

  it.each([
    ['list people', 'hub.list_users'],
    ['open a pr', 'hub.create_pull'],
    ['orgs', 'hub.list_organizations'],
    ['the current session', 'hub.get_authenticated'],
    ['download', 'hub.get_authenticated'],
    ['fetch', 'hub.get_authenticated'],
    ['read', 'hub.get_authenticated'],
    ['make', 'hub.create_pull'],
  ])('for the synonym %j finds %s first', (question, name) => {
    const hub: typeof SHOP = {
      list_users: ['GET', '/users', 'List users'],
      create_pull: ['POST', '/pulls', 'Create a pull'],
      list_organizations: ['GET', '/organizations', 'List organizations'],
      get_authenticated: ['GET', '/me', 'Get the authenticated'],
      list_things: ['GET', '/things', 'List things'],
    }
    expect(namesFor(question, catalogOf({ hub }))[0]).toBe(name)
  })

  it('returns signatures without frozen parameters', () => {
    const params = [
      { name: 'id', in: 'path', isRequired: true, type: 'integer' },
      { name: 'tenant', in: 'query', type: 'string', frozen: 'acme' },
    ] as const
    const catalog = catalogOf({ shop: SHOP }, { get_order: { params, returns: 'Order' } })
    expect(searchFunctions(catalog, 'get an order', 1)).toEqual([
      {
        name: 'shop.get_order',
        signature: '{ id: integer } → Order',
        summary: 'Get an order',
      },
    ])
    expect(namesFor('tenant', catalog)).toEqual([])
  })

  it('includes descriptions', () => {
    const description = 'Parcels that are on their way.'
    const catalog = catalogOf({ shop: SHOP }, { list_customers: { description } })
    expect(namesFor('parcels', catalog)).toContain('shop.list_customers')
    expect(namesFor('parcels')).not.toContain('shop.list_customers')
  })

  it('includes every API, and prefers the one that was named', () => {
    const both = catalogOf({ shop: SHOP, store: SHOP })
    const [first, ...others] = namesFor('store: list orders', both)
    expect(first).toBe('store.list_orders')
    expect(others).toContain('shop.list_orders')
  })

  it('ranks deprecated functions last', () => {
    const functions = { old_orders: SHOP.list_orders!, all_orders: SHOP.list_orders! }
    expect(namesFor('orders', catalogOf({ shop: functions }))).toEqual([
      'shop.all_orders',
      'shop.old_orders',
    ])
  })

  it.each(['', ' ', 'the of a', '?!', 'zebra', '__proto__'])('for %j finds nothing', (question) => {
    expect(namesFor(question)).toEqual([])
  })

  it('returns at most eight', () => {
    expect(namesFor('order customer invitation invoice list get create')).toHaveLength(8)
  })

  it('accepts a very long question', () => {
    expect(namesFor('order '.repeat(100_000))).not.toEqual([])
  })
})

it.each([
  ['repositories', 'repository'],
  ['ties', 'tie'],
  ['boxes', 'box'],
  ['gas', 'gas'],
  ['branches', 'branch'],
  ['statuses', 'status'],
  ['status', 'status'],
  ['starred', 'star'],
  ['scanning', 'scan'],
  ['merged', 'merg'],
  ['merge', 'merg'],
  ['failed', 'fail'],
  ['need', 'need'],
  ['id', 'id'],
])('the stem of %s is %s', (word, stem) => {
  expect(stemOf(word)).toBe(stem)
})

it.each([
  ['protect', 'protection', 0.7],
  ['star', 'stargazer', 4 / 9],
  ['run', 'runner', 0],
  ['commit', 'comment', 0],
  ['same', 'same', 1],
])('the similarity of %s and %s', (a, b, share) => {
  expect(similarity(a, b)).toBeCloseTo(share)
  expect(similarity(b, a)).toBeCloseTo(share)
})

it('words end at case changes and punctuation', () => {
  expect(wordsOf('listPets_by-id/v2 Straße 取得')).toEqual([
    'list',
    'pets',
    'by',
    'id',
    'v2',
    'straße',
    '取得',
  ])
})
