/** Finds a client by its id: the address of its document, or its registration. */
import { AppError } from '../../errors.ts'
import type { SignInContext } from '../sign-in-context.ts'
import { seal, unseal } from '../tokens/sealed.ts'
import type { Client } from './client.ts'
import { findDocument, isDocumentId } from './client-document.ts'

/** What a registration contains. */
interface Registered {
  readonly name: string
  readonly uris: readonly string[]
}

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
