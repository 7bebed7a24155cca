/** Declares an operation once; routes, tools and documentation are derived from it. */
import type * as z from 'zod'
import { assertScopes, type Scope } from '../caller.ts'
import { once } from '../lib/once.ts'
import { AppError } from '../errors.ts'
import { audited } from './audit/audit.ts'
import type { RequestContext } from './service.ts'

export type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T

/** MCP hosts use these to decide which calls need a person's approval. */
interface Hints {
  readonly readOnly?: boolean
  /** May delete or overwrite existing data. */
  readonly destructive: boolean
  readonly idempotent: boolean
}

export const READS_ONLY: Hints = { readOnly: true, destructive: false, idempotent: true }

interface Declaration<Input extends z.ZodType, Output extends z.ZodType> {
  /** Used in the envelope, and in the documentation if there is no tool. */
  readonly name: string
  /**
   * Under `/fs`, responses and errors have an envelope. `{name}` stands for a field of the input,
   * `{name+}` for one that may have slashes; with GET and DELETE the others are in the query.
   */
  readonly route?: `${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`
  /** The tool's name; absent hides it from models. */
  readonly tool?: string
  readonly title: string
  readonly description: string
  /** All are required. */
  readonly scopes: readonly Scope[]
  readonly hints: Hints
  /**
   * Offered to models only where an API is configured, runs go on in the background, or the caller
   * has quotas.
   */
  readonly needs?: keyof Has
  /** The audit event; by default whatever may write changes files, and the rest has none. */
  readonly audit?: 'link' | 'key'
  /** Over HTTP, the request (with its input in the URL) or the response is a file's bytes. */
  readonly bytes?: 'in' | 'out'
  /** Request headers that it reads. */
  readonly headers?: () => z.ZodObject
  /** Answers as a run: over HTTP with JSON, or with events to clients that accept them. */
  readonly isRun?: boolean
  /** Where a run always answers with events. */
  readonly eventsPath?: `/${string}`
  /** The output is an iterable of {@link StreamedEvent}, or `null` if there are none. */
  readonly streams?: boolean
  /** A field passed as JSON text, because JavaScript numbers lose precision. */
  readonly exactField?: string
  /** Input is validated; both schemas are published. */
  readonly input: () => Input
  readonly output: () => Output
  run(ctx: RequestContext, input: z.output<Input>): Promise<DeepReadonly<z.output<Output>>>
  readonly forModels?: ForModels
}

/** A server-sent event. */
export interface StreamedEvent {
  /** Clients that lost the connection send it back. */
  readonly id?: string
  readonly name: string
  /** A single line. */
  readonly data: string
}

/** What a service may have or not. */
export type Has = Readonly<Record<'apis' | 'runs' | 'quotas', boolean>>

/** Overrides for models, which read every byte of a response. */
export interface ForModels<
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> extends Partial<
  Pick<Declaration<Input, Output>, 'title' | 'description' | 'input' | 'output' | 'run'>
> {
  /** If it depends on what the service has. */
  readonly describe?: (has: Has) => string
  /** For fields that a model omits. */
  readonly defaults?: Readonly<Record<string, unknown>>
  /** Upper bounds, whatever a model asks for. */
  readonly maxima?: Readonly<Record<string, number>>
  /** Fields offered only where runs go on in the background. */
  readonly runFields?: readonly string[]
  /** Fields that are taken, but not offered: programs use them. */
  readonly programFields?: readonly string[]
}

export interface Operation<
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
>
  extends
    Omit<Declaration<Input, Output>, 'run' | 'forModels'>,
    Pick<ForModels, 'defaults' | 'maxima' | 'describe' | 'runFields' | 'programFields'> {
  /** The variant for models. */
  readonly asTool: Operation
  /**
   * The only entry point, for HTTP and tools alike.
   *
   * @param sent Not validated yet; a function is called only once the scopes are checked.
   * @throws {AppError} `forbidden` for a missing scope, `invalid_request` for invalid input.
   */
  run(
    ctx: RequestContext,
    sent: z.input<Input> | (() => Promise<unknown>),
  ): Promise<DeepReadonly<z.output<Output>>>
}

/** Schemas are built on first use. */
export function operation<Input extends z.ZodType, Output extends z.ZodType>({
  forModels,
  ...declared
}: Declaration<Input, Output>): Operation<Input, Output> {
  const input = once(declared.input)
  const made = {
    ...declared,
    input,
    output: once(declared.output),
    async run(ctx: RequestContext, sent: unknown) {
      assertScopes(ctx.caller, declared.scopes)
      const read: unknown = typeof sent === 'function' ? await (sent as () => unknown)() : sent
      const checked = checkInput(read, input())
      return audited(ctx, declared, checked, () => declared.run(ctx, checked))
    },
  }
  const asTool = forModels
    ? operation({ ...declared, ...forModels } as Declaration<z.ZodType, z.ZodType>)
    : (made as unknown as Operation)
  return { ...made, asTool }
}

/** @throws {AppError} `invalid_request`, naming the field. */
function checkInput<Schema extends z.ZodType>(value: unknown, schema: Schema): z.output<Schema> {
  const checked = schema.safeParse(value)
  if (checked.success) return checked.data
  const { path, message } = checked.error.issues[0]!
  const sentence = path.length === 0 ? message : `${path.join('.')}: ${message}`
  throw new AppError('invalid_request', sentence)
}
