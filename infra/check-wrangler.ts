/**
 * Checks `wrangler.toml`, or the file given, against wrangler's schema and our Worker's needs. A
 * dry run finds neither a misspelt key nor an environment without a bucket.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, resolve } from 'node:path'
import { experimental_readRawConfig as readRawConfig } from 'wrangler'
import * as z from 'zod'
import { TARGETS } from './build/bundles/bundle.ts'
import { ROOT } from './root.ts'

/** What the schema does not check. */
interface Environment {
  readonly vars?: Readonly<Record<string, unknown>>
  readonly limits?: { readonly cpu_ms?: number }
  readonly r2_buckets?: readonly { readonly binding: string; readonly bucket_name?: string }[]
  readonly ratelimits?: readonly { readonly name: string; readonly namespace_id: string }[]
  readonly queues?: {
    readonly producers?: readonly { readonly binding: string; readonly queue?: string }[]
    readonly consumers?: readonly QueueConsumer[]
  }
}

interface QueueConsumer {
  readonly queue: string
  readonly max_batch_size?: number
  readonly dead_letter_queue?: string
}

interface WranglerFile extends Environment {
  readonly main?: string
  readonly assets?: { readonly binding?: string; readonly run_worker_first?: unknown }
  readonly triggers?: { readonly crons?: readonly string[] }
  readonly env?: Readonly<Record<string, Environment>>
}

/** May not exist yet: a deploy builds it first. */
const BUILT = Object.entries(TARGETS).flatMap(([target, entries]) =>
  entries.map((entry) => `dist/${target}/${basename(entry, '.ts')}.mjs`),
)

/** Accepted by the platform. */
const CPU_MS = { min: 10, max: 300_000 }

const file = resolve(process.argv[2] ?? resolve(ROOT, 'wrangler.toml'))
const { rawConfig } = readRawConfig({ config: file })
const problems = [...schemaProblems(rawConfig), ...ownProblems(rawConfig as WranglerFile)]
for (const problem of problems) console.error(`wrangler.toml: ${problem}`)
if (problems.length > 0) process.exit(1)

function schemaProblems(config: unknown): string[] {
  // Not exported by the package.
  const wrangler = dirname(createRequire(import.meta.url).resolve('wrangler/package.json'))
  const schema = JSON.parse(readFileSync(resolve(wrangler, 'config-schema.json'), 'utf8'))
  const { error } = z.fromJSONSchema(schema).safeParse(config)
  return (error?.issues ?? []).map(({ path, message }) => `${path.join('.') || 'file'}: ${message}`)
}

function ownProblems(config: WranglerFile): string[] {
  const environments = Object.entries(config.env ?? {})
  const deployed = environments.flatMap(([name, environment]) => [
    ...(environment.vars?.STORAGE === 's3' ||
    environment.r2_buckets?.some(({ binding }) => binding === 'FILES')
      ? []
      : [`env.${name}: r2_buckets lacks FILES`]),
    ...(environment.ratelimits?.some((limit) => limit.name === 'RATE_LIMIT')
      ? []
      : [`env.${name}: ratelimits lacks RATE_LIMIT`]),
    ...queueProblems(environment).map((problem) => `env.${name}: ${problem}`),
  ])
  const limits = [config, ...environments.map(([, environment]) => environment)]
    .map(({ limits: { cpu_ms = CPU_MS.min } = {} }) => cpu_ms)
    .filter((cpuMs) => cpuMs < CPU_MS.min || cpuMs > CPU_MS.max)
    .map((cpuMs) => `limits.cpu_ms: ${cpuMs} is not from ${CPU_MS.min} to ${CPU_MS.max}`)
  // Served directly, pages would lack their CSP.
  const isGuarded = config.assets?.binding === 'ASSETS' && config.assets.run_worker_first === true
  return [
    ...deployed,
    ...limits,
    ...(config.triggers?.crons?.length ? [] : ['triggers.crons: nothing deletes old runs']),
    ...(isGuarded ? [] : ['assets: binding must be ASSETS, and run_worker_first true']),
    ...shared(environments, 'bucket_name', ({ r2_buckets = [] }) =>
      r2_buckets.map(({ bucket_name }) => bucket_name),
    ),
    ...shared(environments, 'namespace_id', ({ ratelimits = [] }) =>
      ratelimits.map(({ namespace_id }) => namespace_id),
    ),
    ...shared(environments, 'queue', ({ queues }) =>
      (queues?.consumers ?? []).flatMap((consumer) => [consumer.queue, consumer.dead_letter_queue]),
    ),
    ...(BUILT.includes(config.main ?? '') ? [] : [`main: ${config.main} is built by no target`]),
  ]
}

/** Background runs: what this Worker sends it must receive, one run at a time. */
function queueProblems({ queues }: Environment): string[] {
  const producer = queues?.producers?.find(({ binding }) => binding === 'RUNS')
  if (!producer) return ['queues.producers lacks RUNS']
  const consumer = queues?.consumers?.find(({ queue }) => queue === producer.queue)
  if (!consumer) return [`queues.consumers lacks ${producer.queue}`]
  return [
    ...(consumer.max_batch_size === 1 ? [] : ['queues.consumers: max_batch_size must be 1']),
    ...(consumer.dead_letter_queue ? [] : ['queues.consumers: dead_letter_queue is missing']),
  ]
}

/** Environments that share a bucket would overwrite each other's files. */
function shared(
  environments: readonly (readonly [string, Environment])[],
  key: string,
  valuesOf: (environment: Environment) => readonly (string | undefined)[],
): string[] {
  const values = environments.flatMap(([, environment]) => valuesOf(environment))
  const repeated = values.filter((value, index) => values.indexOf(value) !== index)
  return repeated.map((value) => `env: ${key} ${value} is used twice`)
}
