/** `moonbucket/client`: what the package exports. */
export { moonbucket, type Moonbucket } from './moonbucket.ts'
export { MoonbucketError, ScriptFailed, orThrow, type MoonbucketErrorCode } from './errors.ts'
export type { RouteCalls } from './routes.ts'
export type {
  BackgroundOptions,
  FileRow,
  RunAnswer,
  RunEvent,
  RunOptions,
  RunRecord,
  RunState,
  RunStats,
} from './run-types.ts'
export type { BackgroundRun, Runner } from './runs.ts'
export type { CallOptions, ClientOptions, TokenSource } from './send.ts'
export type { DownloadOptions, Transfers, UploadBody, Uploaded, UploadOptions } from './transfer.ts'
