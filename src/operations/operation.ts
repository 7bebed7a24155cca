/** What the service can do, each declared once: routes, tools and documentation are made from it. */
import type * as z from 'zod'
import { assertScopes, type Scope } from '../caller.ts'
import { checkInput } from './check-input.ts'
import { once } from '../lib/once.ts'
import type { RequestContext } from './service.ts'

/** What may differ between programs and models. */
interface Terms<Input extends z.ZodType, Output extends z.ZodType> {
  readonly title: string
  readonly description: string
  /** The schemas are the contract: input is checked against one, and both are shown. */
  readonly input: () => Input
  readonly output: () => Output
  run(ctx: RequestContext, input: z.output<Input>): Promise<Told<z.output<Output>>>
}

/** An answer is only read. */
export type Told<T> = T extends readonly (infer Item)[]
  ? readonly Told<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Told<T[Key]> }
    : T

/** What models get in its place, because they read every byte of an answer. */
export interface ForModels<
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> extends Partial<Terms<Input, Output>> {
  readonly descriptionWithApis?: string
  /** For what a model leaves out. */
  readonly defaults?: Readonly<Record<string, unknown>>
  /** The most a model gets, whatever it asks for. */
  readonly maxima?: Readonly<Record<string, number>>
}

/** Hosts decide by these which calls a person has to allow. */
interface Hints {
  /** It changes nothing. */
  readonly readOnly?: boolean
  /** It may do away with something that was there. */
  readonly destructive: boolean
  /** Doing it twice leaves all as doing it once. */
  readonly idempotent: boolean
}

/** The hints of whatever only reads. */
export const READS_ONLY: Hints = { readOnly: true, destructive: false, idempotent: true }

/** Everything but the schemas and the work. */
interface Offer {
  /** Its own; the envelope names it, and where there is no tool the documentation does. */
  readonly name: string
  /** Where HTTP offers it; under `/fs` answers and refusals come in an envelope. */
  readonly route?: `${'GET' | 'POST' | 'PUT'} /${string}`
  /** What models call it; absent means that they are not offered it. */
  readonly tool?: string
  /** What a caller needs, all of it. */
  readonly scopes: readonly Scope[]
  readonly hints: Hints
  /** Offered to models only where an API is configured. */
  readonly needsApis?: boolean
  /** Over HTTP, the body is a file's bytes and the input is in the address; or the answer is. */
  readonly bytes?: 'in' | 'out'
  /** Headers that mean something to it. */
  readonly headers?: () => z.ZodObject
  /** Over HTTP, it may tell what happens while it runs. */
  readonly hasEvents?: boolean
  /** A field that comes as JSON text: JavaScript's numbers are not exact enough for all. */
  readonly exactField?: string
}

/** An operation as it is written down. */
interface Declaration<Input extends z.ZodType, Output extends z.ZodType>
  extends Offer, Terms<Input, Output> {
  readonly forModels?: ForModels
}

/** An operation as it is offered. */
export interface Operation<
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
>
  extends Offer, Omit<Terms<Input, Output>, 'run'>, Pick<ForModels, ModelOnly> {
  /** The same as models get it. */
  readonly asTool: Operation
  /**
   * The only way to it, for every face of the service.
   *
   * @param sent Not checked yet; a function is asked for it when the caller is known to be allowed.
   * @throws {AppError} `forbidden` for a missing scope, `invalid_request` for a wrong input.
   */
  run(
    ctx: RequestContext,
    sent: z.input<Input> | (() => Promise<unknown>),
  ): Promise<Told<z.output<Output>>>
}

type ModelOnly = 'defaults' | 'maxima' | 'descriptionWithApis'

/** Its schemas are made with their first use. */
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
      return declared.run(ctx, checkInput(read, input()))
    },
  }
  const asTool = forModels
    ? operation({ ...declared, ...forModels } as Declaration<z.ZodType, z.ZodType>)
    : (made as unknown as Operation)
  return { ...made, asTool }
}
