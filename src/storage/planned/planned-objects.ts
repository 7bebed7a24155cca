/** The objects that a plan would put or delete: their digests, and as many bodies as fit. */
import { Sha256 } from '../../lib/sha256.ts'
import type { ObjectBody, ObjectInfo } from '../driver.ts'
import { byteLengthOf, chunksOf, copyOf } from '../object-body.ts'

/** Memory of the run, whose own needs come first. */
export interface PlanMemory {
  /** False if there is no room. */
  hold(bytes: number): Promise<boolean>
  give(bytes: number): void
}

export interface PlannedObject extends ObjectInfo {
  /** Absent for a copy within the store, which was not read. */
  readonly sha256?: string | undefined
  /** Where the bytes of a copy are in the store. */
  readonly source?: string | undefined
  /** `null` if it was only counted and hashed. */
  readonly body: readonly Uint8Array[] | null
}

/** The body was counted and hashed only. */
export class NotKept extends Error {
  constructor() {
    super('the plan did not keep the content of this object')
    this.name = 'NotKept'
  }
}

export class PlannedObjects {
  /** `null` for a deleted object. */
  readonly #objects = new Map<string, PlannedObject | null>()
  #version = 0
  /** Without it, nothing is kept. */
  memory: PlanMemory | undefined
  keptBytes = 0
  /** Whether something was to be read that was not kept. */
  isShort = false

  /** `undefined` if the plan did not change it. */
  get(key: string): PlannedObject | null | undefined {
    return this.#objects.get(key)
  }

  /** Takes over what the body holds. */
  set(
    key: string,
    how: Pick<ObjectInfo, 'contentType' | 'metadata'>,
    content: Pick<PlannedObject, 'bytes' | 'sha256' | 'body' | 'source'>,
  ): { readonly etag: string } {
    this.delete(key)
    const etag = `planned-${++this.#version}`
    const { contentType, metadata } = how
    const modifiedAt = new Date()
    this.#objects.set(key, { key, etag, modifiedAt, contentType, metadata, ...content })
    return { etag }
  }

  delete(key: string): void {
    this.#drop(key)
    this.#objects.set(key, null)
  }

  entries(): Iterable<[string, PlannedObject | null]> {
    return this.#objects
  }

  /** @throws {NotKept} */
  bodyOf({ body }: PlannedObject): readonly Uint8Array[] {
    if (body) return body
    this.isShort = true
    throw new NotKept()
  }

  /** What may be dropped for the run's own files, oldest first. */
  *kept(): Generator<{ unload(): void }> {
    for (const [key, object] of this.#objects) {
      if (object?.body && object.bytes > 0) yield { unload: () => this.#drop(key) }
    }
  }

  /** Whether there is room for this much more. */
  async hold(bytes: number): Promise<boolean> {
    if (bytes > 0 && !(await this.memory?.hold(bytes))) return false
    this.keptBytes += bytes
    return true
  }

  give(bytes: number): void {
    this.keptBytes -= bytes
    this.memory?.give(bytes)
  }

  #drop(key: string): void {
    const object = this.#objects.get(key)
    if (!object?.body) return
    this.#objects.set(key, { ...object, body: null })
    this.give(object.bytes)
  }
}

/** A body that arrives in pieces: counted, hashed and, while there is room, kept. */
export class PlannedBody {
  readonly #objects: PlannedObjects
  readonly #hash = new Sha256()
  #chunks: Uint8Array[] | null = []
  #heldBytes = 0
  #last: Promise<void> = Promise.resolve()
  #bytes = 0

  constructor(objects: PlannedObjects) {
    this.#objects = objects
  }

  /** In the order of the calls. Reads the piece until it resolves. */
  add(piece: ObjectBody): Promise<void> {
    return (this.#last = this.#last.then(() => this.#add(piece)))
  }

  end(): Pick<PlannedObject, 'bytes' | 'sha256' | 'body'> {
    const body = this.#chunks
    // Held by the object from now on.
    this.#chunks = null
    this.#heldBytes = 0
    return { bytes: this.#bytes, sha256: this.#hash.hex(), body }
  }

  drop(): void {
    this.#chunks = null
    if (this.#heldBytes > 0) this.#objects.give(this.#heldBytes)
    this.#heldBytes = 0
  }

  async #add(piece: ObjectBody): Promise<void> {
    const bytes = byteLengthOf(piece)
    for (const chunk of chunksOf(piece)) this.#hash.update(chunk)
    this.#bytes += bytes
    if (!this.#chunks) return
    const isHeld = await this.#objects.hold(bytes)
    if (isHeld) this.#heldBytes += bytes
    if (isHeld && this.#chunks) this.#chunks.push(copyOf(piece))
    else this.drop()
  }
}
