/**
 * The requests of the client: one line per operation, with the types of its schemas. In the package
 * the types are written out, by infra/build/client.
 */
import type * as z from 'zod'
import type { appendFile } from '../operations/files/append-file.ts'
import type { putContent } from '../operations/files/content.ts'
import type { deletePath } from '../operations/files/delete-path.ts'
import type { applyPatch } from '../operations/files/edit/apply-patch.ts'
import type { editFile } from '../operations/files/edit/edit-file.ts'
import type { findFiles, listEntries } from '../operations/files/list-files.ts'
import type { makeFolder } from '../operations/files/make-folder.ts'
import type { pathExists, pathInfo } from '../operations/files/path-info.ts'
import type { readDocument } from '../operations/files/read-document.ts'
import type { readFile } from '../operations/files/read-file.ts'
import type { searchFiles } from '../operations/files/search/search-files.ts'
import type { copyPath, movePath } from '../operations/files/transfer/copy-and-move.ts'
import type { writeFile } from '../operations/files/write-file.ts'
import type { createKey } from '../operations/keys/create-key.ts'
import type { listKeys } from '../operations/keys/list-keys.ts'
import type { revokeKey } from '../operations/keys/revoke-key.ts'
import type { createLink } from '../operations/links/create-link.ts'
import type { createUploadLink } from '../operations/links/create-upload-link.ts'
import type { revokeLinks } from '../operations/links/revoke-links.ts'
import type { Operation } from '../operations/operation.ts'
import type { saveReport } from '../operations/reports/save-report.ts'
import type { execute, startInBackground } from '../operations/run/execute.ts'
import type { cancelRun } from '../operations/runs/cancel-run.ts'
import type { getRun } from '../operations/runs/get-run.ts'
import type { listRuns } from '../operations/runs/list-runs.ts'
import type { listSavedScripts } from '../operations/scripts/list-saved-scripts.ts'
import type { runSavedScript } from '../operations/scripts/run-saved-script.ts'
import type { getUsage } from '../operations/usage/get-usage.ts'
import type { CallOptions } from './send.ts'

/** Reads only, so that it may be repeated. */
const query = <Op>(route: string): Route<Op> => ({ route, isSafe: true })
const change = <Op>(route: string): Route<Op> => ({ route, isSafe: false })

export const ROUTES = {
  /** Used by functions with another signature. */
  own: {
    execute: change<typeof execute>('POST /execute'),
    start: change<typeof startInBackground>('POST /runs'),
    put: change<typeof putContent>('PUT /fs/content'),
    usage: query<typeof getUsage>('GET /usage'),
  },
  runs: {
    get: query<typeof getRun>('GET /runs/{id}'),
    list: query<typeof listRuns>('GET /runs'),
    cancel: change<typeof cancelRun>('DELETE /runs/{id}'),
  },
  files: {
    read: query<typeof readFile>('POST /fs/read'),
    readDocument: query<typeof readDocument>('POST /fs/document'),
    write: change<typeof writeFile>('POST /fs/write'),
    append: change<typeof appendFile>('POST /fs/append'),
    list: query<typeof listEntries>('POST /fs/list'),
    makeFolder: change<typeof makeFolder>('POST /fs/mkdir'),
    copy: change<typeof copyPath>('POST /fs/copy'),
    move: change<typeof movePath>('POST /fs/move'),
    delete: change<typeof deletePath>('POST /fs/delete'),
    exists: query<typeof pathExists>('POST /fs/exists'),
    info: query<typeof pathInfo>('POST /fs/info'),
    edit: change<typeof editFile>('POST /fs/edit'),
    find: query<typeof findFiles>('POST /fs/find'),
    search: query<typeof searchFiles>('POST /fs/search'),
    patch: change<typeof applyPatch>('POST /fs/patch'),
  },
  links: {
    create: query<typeof createLink>('POST /links'),
    createUpload: change<typeof createUploadLink>('POST /links/upload'),
    revoke: change<typeof revokeLinks>('POST /links/revoke'),
  },
  scripts: {
    run: change<typeof runSavedScript>('POST /scripts/{name+}'),
    list: query<typeof listSavedScripts>('GET /scripts'),
  },
  keys: {
    create: change<typeof createKey>('POST /keys'),
    list: query<typeof listKeys>('GET /keys'),
    revoke: change<typeof revokeKey>('DELETE /keys/{id}'),
  },
  reports: {
    save: change<typeof saveReport>('POST /reports'),
  },
} as const

export type RouteCalls = {
  readonly [Group in keyof typeof ROUTES]: {
    readonly [Name in keyof (typeof ROUTES)[Group]]: CallOf<(typeof ROUTES)[Group][Name]>
  }
}

/** `Op` is there for the types only. */
export interface Route<Op = unknown> {
  readonly route: string
  readonly isSafe: boolean
  readonly op?: Op
}

type CallOf<Given> =
  Given extends Route<Operation<infer Input, infer Output>>
    ? Call<z.input<Input>, z.output<Output>>
    : never

/** Without a field that must be there, the input may be left out. */
type Call<Input, Output> = object extends Input
  ? (input?: Input, options?: CallOptions) => Promise<Output>
  : (input: Input, options?: CallOptions) => Promise<Output>
