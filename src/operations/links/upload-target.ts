/** Opens an upload link: a place for one file, or for several in a folder. */
import { AppError } from '../../errors.ts'
import { contentTypeOf } from '../../files/content-type.ts'
import { parseFolder, parsePath, type FolderPath, type VirtualPath } from '../../files/path.ts'
import { readTerms, type UploadTerms } from '../../links/upload-terms.ts'
import { auditLink } from '../audit/audit.ts'
import { faultEvent } from '../log-event.ts'
import { pathRules } from '../service.ts'
import { openLinked, type LinkContext, type LinkInput } from './open-link.ts'
import {
  presignIntoFolder,
  storeOrigin,
  type AnnouncedFile,
  type PresignedUpload,
} from './presign-into-folder.ts'
import { takeIntoFolder } from './take-into-folder.ts'
import { alreadyUsed, takeUpload, type StoredUpload, type UploadedFile } from './take-upload.ts'
import { openUsedStore, usedLinks } from './used-links.ts'

/** What an upload link leads to. */
export interface UploadTarget {
  readonly isFolder: boolean
  readonly path: FolderPath
  readonly terms: UploadTerms
  readonly expiresAt: Date
  /** @throws {AppError} `conflict` if the link takes no more, as far as that is known. */
  assertOpen(): Promise<void>
  /** @throws {AppError} `conflict` for a used link, `invalid_request`, `too_large` … */
  take(file: UploadedFile): Promise<StoredUpload>
  /** Lets the store take files itself; absent where bodies of any size reach the service. */
  readonly direct?: DirectUploads | undefined
  /** The response need not wait for it; never rejects. */
  cleanUp(): Promise<void>
}

interface DirectUploads {
  /** Of the store's addresses. */
  origin(): Promise<string>
  /** @throws {AppError} as `take`. */
  presign(file: AnnouncedFile): Promise<StoredUpload | PresignedUpload>
}

/** @throws {AppError} `invalid_path`, `forbidden` or `rate_limited`. */
export async function openUploadTarget(ctx: LinkContext, input: LinkInput): Promise<UploadTarget> {
  const { service } = ctx
  const rules = pathRules(service.config)
  const isFolder = input.path.endsWith('/')
  const path = isFolder ? parseFolder(input.path, rules) : parsePath(input.path, rules)
  const linked = await openLinked(ctx, isFolder ? 'drop' : 'put', path, input)
  const { owner, expiresAt, files, signal } = linked
  if (!linked.terms) throw new AppError('forbidden', 'This link is not valid.')
  const terms = readTerms(linked.terms)
  const store = await openUsedStore(service, owner.tenant)
  const used = usedLinks(store, { nonce: terms.nonce, expiresAt })
  /** For the operator only: it does not change the outcome of the upload. */
  const logFault = (fault: unknown) =>
    service.log(faultEvent(input.requestId, 'PUT /files/in, used links', fault))
  const link = { files, terms, store, used, expiresAt, signal, rules, logFault }
  const isDirect = isFolder && service.presignsUploads && service.storage.presignPut
  const quotas = { tenant: owner.tenant, quotas: terms.quotas }

  return {
    isFolder,
    path,
    terms,
    expiresAt,
    ...(isDirect && {
      direct: {
        origin: () => storeOrigin(link, path),
        async presign(file: AnnouncedFile) {
          assertType(terms, file)
          const answer = await presignIntoFolder({ ...link, service, quotas }, path, file)
          if ('url' in answer && answer.isNew) {
            const row = { path: answer.path, bytes: file.bytes, outcome: 'unclear' } as const
            await auditLink(service, input.requestId, owner, 'upload', row)
          }
          return answer
        },
      },
    }),
    async assertOpen() {
      if (!isFolder && (await used.isUsed())) throw alreadyUsed()
    },
    async take(file) {
      assertType(terms, file)
      const { isRepeated, ...stored } = isFolder
        ? await takeIntoFolder(link, path, file)
        : await takeUpload(link, path as VirtualPath, file)
      if (!isRepeated) await auditLink(service, input.requestId, owner, 'upload', stored)
      return stored
    },
    cleanUp: () => used.sweep(service.now()).catch(logFault),
  }
}

/** Ignores parameters such as the charset; browsers often do not know a type, but the name. */
function assertType(
  { contentType: wanted }: UploadTerms,
  file: Pick<UploadedFile, 'name' | 'contentType'>,
): void {
  const { name, contentType: sent = 'nothing' } = file
  const types = name === undefined ? [sent] : [sent, contentTypeOf(name)]
  if (wanted === undefined) return
  if (types.some((type) => type.split(';', 1)[0]!.trim().toLowerCase() === wanted)) return
  throw new AppError('invalid_request', `This link accepts only the Content-Type ${wanted}.`)
}
