/**
 * What a tenant may use, in one table: the settings, the claims of tokens and the documentation
 * follow from it.
 */

interface Quota {
  /** For documentation. */
  readonly title: string
  readonly setting: string
  readonly claim: string
}

const QUOTAS = {
  bytes: { title: 'Stored bytes', setting: 'QUOTA_BYTES', claim: 'quota_bytes' },
  objects: { title: 'Stored files', setting: 'QUOTA_OBJECTS', claim: 'quota_objects' },
  runsDay: { title: 'Runs a day', setting: 'QUOTA_RUNS_DAY', claim: 'quota_runs_day' },
  apiBytesDay: {
    title: 'Bytes from APIs a day',
    setting: 'QUOTA_API_BYTES_DAY',
    claim: 'quota_api_bytes_day',
  },
} as const satisfies Readonly<Record<string, Quota>>

export type QuotaName = keyof typeof QUOTAS

/** Environment variables. */
export type QuotaSetting = (typeof QUOTAS)[QuotaName]['setting']

/** What is absent is neither limited nor counted. */
export type Quotas = { readonly [Name in QuotaName]?: number | undefined }

export const QUOTA_ROWS = Object.entries(QUOTAS) as readonly (readonly [QuotaName, Quota])[]

/** Sums of two must be exact. */
export const MAX_QUOTA = 1e15 - 1

export function quotasFrom(valueOf: (row: Quota) => number | undefined): Quotas {
  const values = QUOTA_ROWS.map(([name, row]) => [name, valueOf(row)] as const)
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

/** The lower of each. */
export function lowestQuotas(one: Quotas = {}, other: Quotas = {}): Quotas {
  const values = QUOTA_ROWS.flatMap(([name]) => {
    const given = [one[name], other[name]].filter((value) => value !== undefined)
    return given.length > 0 ? [[name, Math.min(...given)]] : []
  })
  return Object.fromEntries(values) as Quotas
}
