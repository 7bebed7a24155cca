/** Lets one writer after the other change the folder, whichever process it is in. */
import { createHash } from 'node:crypto'
import { readlink, symlink, unlink } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { nullIf } from './errors.ts'
import { HIDDEN } from './key-path.ts'
import { isRunning, newOwner } from './process-id.ts'
import type { FolderRoot, OpenFolder } from './root.ts'

/** Lends the folder to `work` alone, once it is free. Turns are short: bytes are written before. */
export type InTurn = <T>(
  signal: AbortSignal | undefined,
  work: (hidden: OpenFolder) => Promise<T>,
) => Promise<T>

const LOCK = 'lock'
const LONGEST_PAUSE_MS = 5

/** How long an owner is waited for of whom nothing can be known, such as a process of another machine. */
const STRANGER_MS = 10_000

export function turns(root: FolderRoot): InTurn {
  let last: Promise<unknown> = Promise.resolve()
  const isOver = abandonment()

  async function lend<T>(
    signal: AbortSignal | undefined,
    work: (hidden: OpenFolder) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted()
    const hidden = await root.make([HIDDEN])
    try {
      const path = hidden.at(LOCK)
      const owner = await newOwner()
      while (!(await take(path, owner, isOver))) {
        await pause(Math.random() * LONGEST_PAUSE_MS)
        signal?.throwIfAborted()
      }
      try {
        return await work(hidden)
      } finally {
        await release(path, owner)
      }
    } finally {
      await hidden.close()
    }
  }

  return function inTurn(signal, work) {
    const turn = last.then(() => lend(signal, work))
    last = turn.catch(() => {})
    return turn
  }
}

/**
 * Tries once to take the lock: a symbolic link that leads nowhere and says who made it, because the
 * system makes one in a single step and even on a full disk.
 *
 * A lock whose owner is gone is removed by whoever takes a second lock, which is about that owner
 * alone; without it, two that saw him gone could each remove the lock, the second one that of the first.
 */
async function take(path: string, owner: string, isOver: IsOver): Promise<boolean> {
  if ((await nullIf(['EEXIST'], symlink(owner, path))) !== null) return true
  const holder = await nullIf(['ENOENT'], readlink(path))
  if (holder === null || !(await isOver(holder))) return false
  const claim = `${path}-${createHash('sha256').update(holder).digest('hex').slice(0, 16)}`
  if (!(await take(claim, owner, isOver))) return false
  try {
    await release(path, holder)
  } finally {
    await unlink(claim)
  }
  return false
}

async function release(path: string, owner: string): Promise<void> {
  if ((await nullIf(['ENOENT'], readlink(path))) === owner) await unlink(path)
}

type IsOver = (owner: string) => Promise<boolean>

/** Strangers count as gone when nothing has moved for long, by a clock that stands still while the machine sleeps. */
function abandonment(): IsOver {
  const seenAt = new Map<string, number>()

  return async function isOver(owner) {
    const running = await isRunning(owner)
    if (running !== null) return !running
    const since = seenAt.get(owner) ?? performance.now()
    if (seenAt.size > 100) seenAt.clear()
    seenAt.set(owner, since)
    return performance.now() - since > STRANGER_MS
  }
}
