/** The objects of one run, beside the caller's area. */
import { AppError } from '../../../errors.ts'
import { parsePath, type VirtualPath } from '../../../files/path.ts'
import { AreaStore } from '../../../files/store/area-store.ts'
import { openActiveRuns, openRuns, runPlace, type RunPlace } from '../../../files/store/area.ts'
import type { Ending } from '../../../lib/abort.ts'
import { PreconditionFailed } from '../../../storage/driver.ts'
import type { Caller } from '../../../caller.ts'
import { areaLayout, areaOwner, type Service } from '../../service.ts'
import { isRunId } from './run-id.ts'
import type { RecordedAnswer, RecordedEvent, RecordedInput, RunRecord } from './run-record.ts'

const REF =
  /^(?<tenant>[\w-]{1,64})\/(?<folder>users\/[\w-]{1,64}|companion|default)\/(?<id>[0-9a-f]{24})$/

const NUMBER_DIGITS = 6

/** A record and its version. */
export interface FoundRun {
  readonly record: RunRecord
  readonly etag: string
}

/** A part of a log, or of the names of files about to be stored. */
interface Part<T> {
  readonly number: number
  readonly items: readonly T[]
  /** By the store's clock. */
  readonly storedAt: Date
}

type Folder = 'log' | 'storing'

/**
 * Rejects with `storage_unavailable` if the store fails. Nothing here is conditional on the
 * caller's rights: the key of another owner's run cannot be made from a caller.
 */
export class RunStore {
  readonly id: string
  readonly place: RunPlace
  readonly #store: AreaStore
  readonly #active: AreaStore

  private constructor(service: Service, place: RunPlace, id: string, ending?: Ending) {
    this.id = id
    this.place = place
    this.#store = storeOf(service, openRuns(place, areaLayout(service.config)), ending)
    this.#active = activeRuns(service, place.tenant, ending)
  }

  /** @param id A valid one. */
  static async of(
    service: Service,
    caller: Caller,
    id: string,
    ending?: Ending,
  ): Promise<RunStore> {
    return new RunStore(service, await runPlace(areaOwner(caller)), id, ending)
  }

  /** `null` for a ref that names nothing. */
  static at(service: Service, ref: string): RunStore | null {
    const { tenant, folder, id } = REF.exec(ref)?.groups ?? {}
    if (!tenant || !folder || !id) return null
    return new RunStore(service, { tenant, folder }, id)
  }

  get ref(): string {
    return `${this.place.tenant}/${this.place.folder}/${this.id}`
  }

  async load(): Promise<FoundRun | null> {
    const object = await this.#store.get(this.#path('records'))
    return object && { record: decode<RunRecord>(object.body), etag: object.etag }
  }

  /** The version, without the record. */
  async version(): Promise<string | undefined> {
    return (await this.#store.head(this.#path('records')))?.etag
  }

  async create(record: RunRecord): Promise<FoundRun> {
    const put = this.#store.put(this.#path('records'), encode(record), { ifNoneMatch: '*' })
    return { record, etag: (await put).etag }
  }

  /** `null` if the record is not this version any more. */
  async replace(found: FoundRun, changes: Partial<RunRecord>): Promise<FoundRun | null> {
    const record = { ...found.record, ...changes }
    try {
      const path = this.#path('records')
      const { etag } = await this.#store.put(path, encode(record), { ifMatch: found.etag })
      return { record, etag }
    } catch (error) {
      if (error instanceof PreconditionFailed) return null
      throw error
    }
  }

  /** Counts the run among its tenant's unfinished ones. */
  async markActive(): Promise<void> {
    await this.#active.put(this.#activePath, new Uint8Array(), { ifNoneMatch: '*' })
  }

  unmarkActive(): Promise<void> {
    return this.#active.remove(this.#activePath)
  }

  async putInput(input: RecordedInput): Promise<void> {
    await this.#store.put(this.#path('inputs'), encode(input), { ifNoneMatch: '*' })
  }

  async getInput(): Promise<RecordedInput | null> {
    const object = await this.#store.get(this.#path('inputs'))
    return object && decode<RecordedInput>(object.body)
  }

  removeInput(): Promise<void> {
    return this.#store.remove(this.#path('inputs'))
  }

  /** @param by Names it in the record. */
  async putAnswer(by: string, answer: RecordedAnswer): Promise<void> {
    await this.#store.put(this.#path('answers', by), encode(answer))
  }

  async getAnswer(by: string): Promise<RecordedAnswer | null> {
    const object = await this.#store.get(this.#path('answers', by))
    return object && decode<RecordedAnswer>(object.body)
  }

  /** @param ids Of earlier attempts with the same items. */
  async putPart(
    folder: Folder,
    number: number,
    items: readonly unknown[],
    ids?: Set<string>,
  ): Promise<void> {
    const path = this.#path(folder, numbered(number))
    await this.#store.put(path, encode(items), { ifNoneMatch: '*', ids })
  }

  async getLog(number: number): Promise<readonly RecordedEvent[] | null> {
    return (await this.#getPart<RecordedEvent>('log', number))?.items ?? null
  }

  /** All parts, in order. */
  async *parts<T>(folder: Folder): AsyncGenerator<Part<T>> {
    for (let number = 0; ; number++) {
      const part = await this.#getPart<T>(folder, number)
      if (!part) return
      yield part
    }
  }

  async countParts(folder: Folder): Promise<number> {
    let count = 0
    for await (const _ of this.#store.list(this.#path(folder))) count++
    return count
  }

  /** The record goes last: what remains after a failure is still found. */
  async removeAll(): Promise<void> {
    for (const folder of ['log', 'storing', 'answers'] as const) {
      for await (const { path } of this.#store.list(this.#path(folder))) {
        await this.#store.remove(path)
      }
    }
    await this.removeInput()
    await this.unmarkActive()
    await this.#store.remove(this.#path('records'))
  }

  async #getPart<T>(folder: Folder, number: number): Promise<Part<T> | null> {
    const object = await this.#store.get(this.#path(folder, numbered(number)))
    if (!object) return null
    return { number, items: decode<readonly T[]>(object.body), storedAt: object.modifiedAt }
  }

  get #activePath(): VirtualPath {
    return parsePath(`${this.place.folder}/${this.id}`)
  }

  #path(folder: string, name?: string): VirtualPath {
    return parsePath([folder, this.id, name].filter((part) => part !== undefined).join('/'))
  }
}

/** Ids of an owner's runs, newest first. @param after The last id of the page before. */
export async function* listRunIds(
  service: Service,
  place: RunPlace,
  after: string | undefined,
  ending: Ending,
): AsyncGenerator<string> {
  const store = storeOf(service, openRuns(place, areaLayout(service.config)), ending)
  const records = parsePath('records')
  const startAfter =
    after === undefined
      ? undefined
      : ({ path: parsePath(`${records}/${after}`), type: 'file' } as const)
  for await (const { path } of store.list(records, { startAfter })) {
    const id = path.slice(`${records}/`.length)
    if (isRunId(id)) yield id
  }
}

/** Refs of a tenant's unfinished runs. */
export async function* listActive(service: Service, tenant: string): AsyncGenerator<string> {
  for await (const { path, type } of activeRuns(service, tenant).list('', {
    recursive: true,
  })) {
    if (type === 'file') yield `${tenant}/${path}`
  }
}

function activeRuns(service: Service, tenant: string, ending?: Ending): AreaStore {
  return storeOf(service, openActiveRuns(tenant, areaLayout(service.config)), ending)
}

export function storeOf(
  { storage }: Service,
  area: ReturnType<typeof openRuns>,
  ending: Ending | undefined,
): AreaStore {
  return new AreaStore({ storage, area, ending, errorOf: failureOf })
}

function failureOf(cause: unknown): Error {
  if (cause instanceof PreconditionFailed) return cause
  const message = 'The store cannot be reached right now. Try again shortly.'
  return new AppError('storage_unavailable', message, { cause })
}

function numbered(number: number): string {
  return String(number).padStart(NUMBER_DIGITS, '0')
}

function encode(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value))
}

function decode<T>(body: Uint8Array): T {
  return JSON.parse(new TextDecoder().decode(body)) as T
}
