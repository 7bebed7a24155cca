/** Tells what the caller's tenant has used, and what it may. */
import * as z from 'zod'
import { anySignal } from '../../lib/abort.ts'
import { operation, READS_ONLY } from '../operation.ts'
import { webhookKey } from '../runs/notify.ts'
import type { RequestContext } from '../service.ts'
import { timestamp } from '../timestamp.ts'
import { endOfDay, openDaily, openStored, quotasOf, type DailyQuota } from './open-usage.ts'

const counted = () =>
  z.object({
    used: z.int().describe('Never less than the actual use.'),
    allowed: z.int().describe('The quota.'),
  })
const countedDaily = () => counted().extend({ resets_at: z.string().describe('When it resets.') })

const usageSchema = () =>
  z.object({
    stored_bytes: counted().optional().describe('Of all files.'),
    stored_files: counted().optional().describe('Including empty folders.'),
    runs_today: countedDaily().optional().describe('Started today, in UTC.'),
    api_bytes_today: countedDaily().optional().describe('Received from APIs by scripts.'),
  })

export const getUsage = operation({
  name: 'usage',
  route: 'GET /usage',
  tool: 'get_usage',
  title: 'See what is used',
  description:
    'Returns how much of its quotas your team has used: stored bytes and files, and runs and bytes from APIs today. Only what is limited is counted. Deleted and replaced files count until everything is counted again, at the latest when something is about to be refused.',
  scopes: ['execute'],
  hints: READS_ONLY,
  needs: 'quotas',
  input: () => z.strictObject({}),
  output: () =>
    usageSchema().extend({
      webhook_key: z
        .string()
        .optional()
        .describe('Verifies the messages of `notify`. Only with the scope `admin`.'),
    }),

  async run(ctx) {
    const { service, caller } = ctx
    const { webhookSecret } = service.config
    const isShown = webhookSecret !== undefined && caller.scopes.has('admin')
    const [used, webhook_key] = await Promise.all([
      usageOf(ctx),
      isShown ? webhookKey(webhookSecret, caller.tenant) : undefined,
    ])
    return { ...used, ...(webhook_key !== undefined && { webhook_key }) }
  },
  // A secret is nothing for a model.
  forModels: {
    description:
      'How much of its quotas your team has used: stored bytes and files, runs and API bytes today.',
    // Whoever asks sees what each of them has.
    output: () =>
      z.object(
        Object.fromEntries(
          Object.keys(usageSchema().shape).map((name) => [name, z.looseObject({}).optional()]),
        ),
      ),
    run: usageOf,
  },
})

async function usageOf(ctx: RequestContext) {
  const [stored, runs, apiBytes] = await Promise.all([
    storedUsage(ctx),
    dailyUsage(ctx, 'runsDay'),
    dailyUsage(ctx, 'apiBytesDay'),
  ])
  return {
    ...stored,
    ...(runs && { runs_today: runs }),
    ...(apiBytes && { api_bytes_today: apiBytes }),
  }
}

async function storedUsage(ctx: RequestContext) {
  const { service, caller } = ctx
  const open = await openStored(service, caller, () => 0)
  if (!open) return {}
  const { bytes, objects } = quotasOf(service, caller)
  const used = await open(endingOf(ctx)).used()
  return {
    ...(bytes !== undefined && { stored_bytes: { used: used.bytes, allowed: bytes } }),
    ...(objects !== undefined && { stored_files: { used: used.objects, allowed: objects } }),
  }
}

async function dailyUsage(ctx: RequestContext, name: DailyQuota) {
  const { service, caller } = ctx
  const allowed = quotasOf(service, caller)[name]
  if (allowed === undefined) return undefined
  const usage = await openDaily(service, caller.tenant, name, allowed, endingOf(ctx))
  const resets_at = timestamp(endOfDay(service.now()))
  return { used: await usage.used(), allowed, resets_at }
}

function endingOf({ service, signal }: RequestContext) {
  const timeout = AbortSignal.timeout(service.config.limits.runMs)
  return { ending: { signal: anySignal(timeout, signal) } }
}
