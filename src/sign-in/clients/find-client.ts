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
  const registered = await findRegistered(ctx, id)
  if (registered) return { id, name: registered.name, redirectUris: registered.uris }
  const message = 'This service does not know the program that sent you here.'
  throw new AppError('malformed', `${message} Remove the connection there and add it again.`)
}

/** Without a look at a document: that may be there again at any time. */
export async function isGone(ctx: SignInContext, id: string): Promise<boolean> {
  return !isDocumentId(id) && (await findRegistered(ctx, id)) === undefined
}

async function findRegistered(ctx: SignInContext, id: string): Promise<Registered | undefined> {
  try {
    return await unseal<Registered>(ctx, 'client', id)
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}
