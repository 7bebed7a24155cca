/** Copies or moves a folder file by file: cut off, it has lost nothing and can be repeated. */
import { AppError } from '../../../errors.ts'
import type { VirtualPath } from '../../../files/path.ts'
import { inParallel } from '../../../lib/parallel.ts'
import { compareUtf8 } from '../../../storage/key-order.ts'
import { conflictOf, quoted, UnclearWrite, type CallerFiles } from '../../caller-files.ts'
import { holds, MAX_READ_BYTES, transferFile } from './transfer-file.ts'

/** Workers allow six connections, and a copy may take two. */
const ROOM = { jobs: 3, bytes: MAX_READ_BYTES }

/** A folder may have more entries than fit into memory. */
const BATCH_ENTRIES = 1000

export interface FolderTransfer {
  readonly from: VirtualPath
  readonly to: VirtualPath
  readonly isMove: boolean
  /** Whether files at the target are replaced. */
  readonly force: boolean
}

export interface Transferred {
  readonly files: number
  readonly bytes: number
}

/** An object below the folder. */
interface Item {
  /** Below the folder; empty for the folder itself. */
  readonly rest: string
  readonly bytes: number
  /** An object that keeps an empty folder. */
  readonly isMarker: boolean
}

/**
 * What exists at the target stays beside what comes.
 *
 * @throws {AppError} also halfway; what was done then stays done, and the message says so.
 */
export async function transferFolder(
  files: CallerFiles,
  transfer: FolderTransfer,
): Promise<Transferred> {
  const changing = files.forChanges()
  const hasRoom = await assertTarget(changing, transfer)
  const done = { files: 0, bytes: 0 }
  try {
    for await (const batch of batchesOf(itemsBelow(changing, transfer.from))) {
      await transferBatch(batch, async (item) => {
        const bytes = await transferItem(changing, transfer, item, hasRoom)
        if (bytes === null || item.isMarker) return
        done.files++
        done.bytes += bytes
      })
    }
  } catch (error) {
    throw cutOff(error, transfer, done.files)
  }
  return done
}

/**
 * Before anything is changed. Resolves to whether nothing is at the target yet.
 *
 * @throws {AppError} `conflict`; `invalid_path` if a path would be too long or too deep.
 */
async function assertTarget(
  files: CallerFiles,
  { from, to, isMove, force }: FolderTransfer,
): Promise<boolean> {
  await files.assertNoFileAbove(pathBelow(to, 'x'))
  const isNew = !(await files.holdsAny(to))
  const first = isNew || force ? undefined : await firstInBoth(files, from, to)
  for await (const { rest } of itemsBelow(files, from)) files.assertDepth(pathBelow(to, rest))
  if (first === undefined) return isNew
  const path = pathBelow(to, first)
  const [source, target] = await Promise.all([files.head(pathBelow(from, first)), files.head(path)])
  // A target that already has this version shows that the request is repeated.
  if (source && target && !holds(target, source, isMove)) throw conflictOf({ path, condition: {} })
  return isNew
}

/** The first file that both folders have; their listings are in the same order. */
async function firstInBoth(
  files: CallerFiles,
  one: VirtualPath,
  other: VirtualPath,
): Promise<string | undefined> {
  const others = itemsBelow(files, other)
  let next = await others.next()
  for await (const { rest, isMarker } of itemsBelow(files, one)) {
    if (isMarker) continue
    while (!next.done && (next.value.isMarker || compareUtf8(next.value.rest, rest) < 0)) {
      next = await others.next()
    }
    if (next.done) return undefined
    if (next.value.rest === rest) return rest
  }
  return undefined
}

async function transferItem(
  files: CallerFiles,
  { isMove, force, ...folders }: FolderTransfer,
  { rest, bytes, isMarker }: Item,
  hasRoom: boolean,
): Promise<number | null> {
  const from = pathBelow(folders.from, rest)
  const to = pathBelow(folders.to, rest)
  if (!isMarker) {
    const condition = force ? {} : { ifNoneMatch: '*' as const }
    return transferFile(files, { from, to, bytes, condition, isMove, hasRoom })
  }
  // The shared folder exists without a marker.
  if (to !== files.area.sharedDir) await files.putMarker(to)
  if (isMove) await files.removeMarker(from)
  return 0
}

async function transferBatch(
  items: readonly Item[],
  transfer: (item: Item) => Promise<void>,
): Promise<void> {
  let failure: unknown
  const job = async (item: Item) => {
    if (failure) return
    await transfer(item).catch((error: unknown) => {
      failure ??= error
    })
  }
  await inParallel(items, ROOM, ({ bytes }) => Math.min(bytes, MAX_READ_BYTES), job)
  if (failure) throw failure
}

/** Keys that are no path, stored by other programs, are left alone. */
async function* itemsBelow(files: CallerFiles, folder: VirtualPath): AsyncGenerator<Item> {
  const prefix = files.prefixOf(folder)
  for await (const entry of files.listKeys(prefix, {})) {
    if (entry.kind !== 'object') continue
    const { key, bytes } = entry.object
    const isMarker = key.endsWith('/')
    const rest = key.slice(prefix.length, isMarker ? -1 : undefined)
    if (files.canSpell(pathBelow(folder, rest))) yield { rest, bytes, isMarker }
  }
}

async function* batchesOf(items: AsyncIterable<Item>): AsyncGenerator<Item[]> {
  let batch: Item[] = []
  for await (const item of items) {
    batch.push(item)
    if (batch.length < BATCH_ENTRIES) continue
    yield batch
    batch = []
  }
  yield batch
}

function pathBelow(folder: VirtualPath, rest: string): VirtualPath {
  return (rest === '' ? folder : `${folder}/${rest}`) as VirtualPath
}

function cutOff(error: unknown, { to, isMove }: FolderTransfer, count: number): unknown {
  if (!(error instanceof AppError) || count === 0) return error
  const message = `${error.message} ${count} files are in ${quoted(to)} already; repeat the request to ${isMove ? 'move' : 'copy'} the rest.`
  return new UnclearWrite(message, error, error.code)
}
