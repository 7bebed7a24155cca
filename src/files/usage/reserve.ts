/** Reserves part of a quota: puts a mark, sums all marks, and withdraws if they exceed it. */
import { AppError } from '../../errors.ts'
import { pause } from '../../lib/abort.ts'
import { isWithin, lacking, larger, sum, type Amount } from './amount.ts'
import type { CountReason, MarkFolder, OwnMark, SeenMarks } from './mark-folder.ts'

/** For others to withdraw what does not fit beside the own mark. */
const MAX_WAITS = 20
const WAIT_MS = 100
const MAX_STEPS = 100

export interface ReserveOptions {
  readonly folder: MarkFolder
  /** `Infinity` for what is not limited. */
  readonly allowed: Amount
  /** How long the writes that a mark announces may take. */
  readonly windowMs?: (() => number) | undefined
  readonly signal?: AbortSignal | undefined
  /** Whether what was seen can be trusted; otherwise it is counted first. */
  readonly isKnown?: ((seen: SeenMarks) => boolean) | undefined
  /** Counts anew; `false` if that would tell nothing new. */
  readonly count?: ((seen: SeenMarks, reason: CountReason) => Promise<boolean>) | undefined
  /** Why it does not fit beside what others use. */
  readonly refusal: (seen: SeenMarks, others: Amount) => Error
}

/**
 * Never lets through more than is allowed, however many try at once: each sees at least the marks
 * that were put before its own listing, and of any two one is put before the other is listed. Of
 * those that do not fit together the earlier marks win, as far as they can be told apart.
 *
 * @param want Or less than that, but at least `need`.
 * @throws what `refusal` makes; then nothing is taken.
 */
export async function reserve(
  options: ReserveOptions,
  need: Amount,
  want: Amount,
): Promise<{ readonly mark: OwnMark; readonly seen: SeenMarks }> {
  const { folder, allowed, signal, isKnown = () => true, count, refusal } = options
  const put = (amount: Amount) => folder.put(amount, options.windowMs?.())
  let mark = await put(larger(need, want))
  try {
    for (let waits = 0, steps = 0; steps < MAX_STEPS; steps++) {
      const seen = await folder.read(mark)
      if (!isKnown(seen)) {
        await count?.(seen, 'unknown')
        continue
      }
      if (isWithin(seen.total, allowed)) return { mark, seen }
      const others = lacking(seen.total, mark.amount)
      const less = lessOf(mark.amount, need, others, allowed)
      if (less) {
        const large = mark
        mark = await put(less)
        await folder.remove(large.path)
        continue
      }
      if (!isWithin(seen.ahead, allowed) || waits++ >= MAX_WAITS) {
        if (await count?.(seen, 'refusal')) continue
        throw refusal(seen, others)
      }
      await pause(WAIT_MS * (0.5 + Math.random()), signal)
    }
    throw uncountable()
  } catch (error) {
    await folder.remove(mark.path).catch(() => undefined)
    throw error
  }
}

/** Half of what is left: others may need some of it, too. */
function lessOf(amount: Amount, need: Amount, others: Amount, allowed: Amount): Amount | undefined {
  if (isWithin(amount, need) || !isWithin(sum(others, need), allowed)) return undefined
  const left = lacking(allowed, others)
  const half = { bytes: Math.floor(left.bytes / 2), objects: Math.floor(left.objects / 2) }
  const less = larger(need, half)
  return {
    bytes: Math.min(amount.bytes, less.bytes),
    objects: Math.min(amount.objects, less.objects),
  }
}

/** Others change everything all the time. */
export function uncountable(): AppError {
  const message = 'What is used could not be counted. Try again shortly.'
  return new AppError('storage_unavailable', message)
}
