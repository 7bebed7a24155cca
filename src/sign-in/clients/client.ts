/** Who asks for access: a client with a document of its own, or one that registered here. */
import { AppError } from '../../errors.ts'
import type { SignInContext } from '../sign-in-context.ts'
import { seal, unseal } from '../tokens/sealed.ts'
import { findDocument, isDocumentId } from './client-document.ts'

export interface Client {
  readonly id: string
  /** As it calls itself. */
  readonly name: string
  /** Of its document, which only the owner of the host can publish; absent if it registered. */
  readonly host?: string | undefined
  readonly redirectUris: readonly string[]
}

/** What a registration contains. */
interface Registered {
  readonly name: string
  readonly uris: readonly string[]
}

/** Longer ones are cut. */
const MAX_NAME = 80

/** The id is the registration itself, so nothing is stored. */
export function registeredId(ctx: SignInContext, registered: Registered): Promise<string> {
  return seal(ctx, 'client', { ...registered })
}

/** @throws {AppError} `malformed` if there is no such client; `rate_limited`. */
export async function findClient(ctx: SignInContext, id: string): Promise<Client> {
  if (isDocumentId(id)) return findDocument(ctx, id)
  try {
    const { name, uris } = await unseal<Registered>(ctx, 'client', id)
    return { id, name, redirectUris: uris }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const message = 'This service does not know the program that sent you here.'
    throw new AppError('malformed', `${message} Remove the connection there and add it again.`)
  }
}

/** For people: one line without control characters. */
export function clientName(name: unknown): string {
  const text = typeof name === 'string' ? name.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim() : ''
  const characters = [...text]
  if (characters.length <= MAX_NAME) return text || 'A program without a name'
  return `${characters.slice(0, MAX_NAME - 1).join('')}…`
}
