/** Checks names, tables and sums in `docs/deploy.md` and `docs/operate.md`. */
import type { Queue } from '@cloudflare/workers-types'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { experimental_readRawConfig as readRawConfig } from 'wrangler'
import { describe, expect, it } from 'vitest'
import { readTemplate } from '../../../infra/lambda/read-template.ts'
import { SETTINGS } from '../../../src/config.ts'
import { cloudflareQueue } from '../../../src/entry/workers/run-queue.ts'
import { ROOT } from '../../../infra/root.ts'
import { blocksOf, readDocument } from '../../support/documents.ts'

const FOLDER = resolve(ROOT, 'docs')
const guide = ['docs/deploy.md', 'docs/operate.md'].map(readDocument).join('\n')
const shell = blocksOf(guide).flatMap(({ language, code }) => (language === 'sh' ? code : []))
const template = readTemplate('template.yaml')
const domain = readTemplate('domain.yaml')

/** Names in capitals that are not settings of the service. */
const OTHER_NAMES = ['DOCUMENTS', 'FILES', 'HEAD', 'HOST', 'NONE', 'PORT', 'RATE_LIMIT', 'RUNS']

/** As far as the guide tells of it. */
interface Environment {
  readonly name: string
  readonly r2_buckets?: readonly { readonly bucket_name: string }[]
  readonly ratelimits: readonly { readonly namespace_id: string }[]
  readonly queues: { readonly consumers: readonly QueueConsumer[] }
}

interface QueueConsumer {
  readonly queue: string
  readonly dead_letter_queue: string
}

describe('the deployment guide', () => {
  it('names only settings that exist', () => {
    const named = [...guide.matchAll(/`([A-Z][A-Z\d_]{3,})[`=]/g)].map(([, name]) => name!)
    const unknown = named.filter((name) => ![...SETTINGS, ...OTHER_NAMES].includes(name))
    expect([named.length > 10, unknown]).toEqual([true, []])
  })

  it('links only to what is there', () => {
    const links = [...guide.matchAll(/\]\((?!https:|#)([^)#]+)/g)].map(([, path]) => path!)
    expect(links.filter((path) => !existsSync(resolve(FOLDER, path)))).toEqual([])
  })

  it('lists every parameter of the template with its default', () => {
    const rows = [...guide.matchAll(/^\| ((?:`[A-Z]\w+`(?:, )?)+) +\| ([^|]+?) +\|/gm)]
    const listed = rows.flatMap(([, names, defaults]) => {
      const each = defaults!.split(', ').map((value) => value.replaceAll('`', ''))
      return [...names!.matchAll(/\w+/g)].map(([name], i) => [name, each[i] ?? each[0]] as const)
    })
    const parameters = Object.entries(template.Parameters!).map(
      ([name, { Default = 'required' }]) => [name, Default === '' ? '–' : String(Default)],
    )
    const ofTemplate = listed.filter(([name]) => !name.endsWith('Alarm'))
    expect(Object.fromEntries(ofTemplate)).toEqual(Object.fromEntries(parameters))
  })

  it('lists every alarm', () => {
    const alarms = Object.keys(template.Resources).filter((name) => name.endsWith('Alarm'))
    const listed = [...guide.matchAll(/^\| `(\w+Alarm)` /gm)].map(([, name]) => name!)
    expect(listed.sort()).toEqual(alarms.sort())
  })

  it('gives each template parameters it has, and the first time all it needs', () => {
    const commands = shell
      .flatMap((code) => code.replaceAll('\\\n', ' ').split('\n'))
      .filter((line) => line.includes('cloudformation deploy'))
    const given = commands.map((line) => ({
      known: Object.keys((line.includes('domain.yaml') ? domain : template).Parameters!),
      names: [...line.split('--parameter-overrides')[1]!.matchAll(/(\w+)=/g)].map(([, n]) => n!),
    }))
    expect(given.flatMap(({ known, names }) => names.filter((n) => !known.includes(n)))).toEqual([])
    const required = Object.entries(template.Parameters!)
      .filter(([, { Default }]) => Default === undefined)
      .map(([name]) => name)
    expect(given[0]!.names).toEqual(expect.arrayContaining(required))
    expect(commands).toHaveLength(5)
  })

  it('lists the environments of wrangler.toml', () => {
    const { rawConfig } = readRawConfig({ config: resolve(ROOT, 'wrangler.toml') })
    const rows = [
      ...guide.matchAll(/^\| `(\w+)` +\| `([\w-]+)` +\| (.+?) +\| (\d+) +\| `([\w:]+)` +\|$/gm),
    ]
    const { scripts } = JSON.parse(readFileSync(resolve(ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>
    }
    const listed = rows.map(([, env, name, bucket, limit, script]) => {
      expect(scripts[script!]).toContain(`wrangler deploy --env ${env}`)
      return [env, name, /^`(.+)`$/.exec(bucket!)?.[1], limit]
    })
    const environments = Object.entries(rawConfig.env as Record<string, Environment>).map(
      ([env, { name, r2_buckets, ratelimits }]) => [
        env,
        name,
        r2_buckets?.[0]?.bucket_name,
        ratelimits[0]?.namespace_id,
      ],
    )
    expect(listed.sort()).toEqual(environments.sort())
  })

  it('creates the queues, which are named after the Worker', () => {
    const { rawConfig } = readRawConfig({ config: resolve(ROOT, 'wrangler.toml') })
    for (const { name, queues } of Object.values(rawConfig.env as Record<string, Environment>)) {
      expect(queues.consumers).toMatchObject([
        { queue: `${name}-runs`, dead_letter_queue: `${name}-dead-runs` },
      ])
    }
    const { keepsMs } = cloudflareQueue({} as Queue)
    const created = [...guide.matchAll(/queues create ([\w-]+)(?: --\S+-secs (\d+))?$/gm)]
    expect(created.map(([, ...values]) => values)).toEqual([
      ['moonbucket-runs', String(keepsMs / 1000)],
      ['moonbucket-dead-runs', undefined],
    ])
  })

  it('multiplies and adds as one should', () => {
    const products = [...guide.matchAll(/(\d+) × \$([\d.]+)(?: = | +\| )\$([\d.]+)/g)]
    const wrong = products.filter(([, n, price, sum]) => cents(Number(n) * Number(price)) !== sum)
    expect([products.length, wrong.map(([line]) => line)]).toEqual([16, []])
    const tables = guide.split(/\n\n/).filter((part) => /^\| total/m.test(part))
    const sums = tables.map((table) => {
      const amounts = [...table.matchAll(/\$([\d.]+) +\|$/gm)].map(([, amount]) => Number(amount))
      const total = amounts.pop()
      return [total, Number(cents(amounts.reduce((sum, amount) => sum + amount, 0)))]
    })
    expect(sums).toHaveLength(2)
    for (const [total, sum] of sums) expect(total).toBe(sum)
  })
})

function cents(amount: number): string {
  return amount.toFixed(2)
}
