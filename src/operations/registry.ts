/** Every operation; routes, tools, `openapi.json` and the documentation are derived from these. */
import {
  getFunctionDocs,
  getSchema,
  listApis,
  listFunctions,
  searchDocs,
} from './apis/discovery.ts'
import { applyPatch } from './files/edit/apply-patch.ts'
import { appendFile } from './files/append-file.ts'
import { deletePath } from './files/delete-path.ts'
import { editFile } from './files/edit/edit-file.ts'
import { findFiles, listEntries } from './files/list-files.ts'
import { getContent, putContent } from './files/content.ts'
import { makeFolder } from './files/make-folder.ts'
import { pathExists, pathInfo } from './files/path-info.ts'
import { readDocument } from './files/read-document.ts'
import { readFile } from './files/read-file.ts'
import { searchFiles } from './files/search/search-files.ts'
import { copyPath, movePath } from './files/transfer/copy-and-move.ts'
import { writeFile } from './files/write-file.ts'
import { createKey } from './keys/create-key.ts'
import { listKeys } from './keys/list-keys.ts'
import { revokeKey } from './keys/revoke-key.ts'
import { createLink } from './links/create-link.ts'
import { createUploadLink } from './links/create-upload-link.ts'
import { revokeLinks } from './links/revoke-links.ts'
import type { Operation } from './operation.ts'
import { saveReport } from './reports/save-report.ts'
import { execute, startInBackground } from './run/execute.ts'
import { cancelRun } from './runs/cancel-run.ts'
import { getRun } from './runs/get-run.ts'
import { listRuns } from './runs/list-runs.ts'
import { watchRun } from './runs/watch-run.ts'
import { listSavedScripts } from './scripts/list-saved-scripts.ts'
import { runSavedScript } from './scripts/run-saved-script.ts'
import { getUsage } from './usage/get-usage.ts'

/** In the order in which models see them. */
export const OPERATIONS: readonly Operation[] = [
  execute,
  startInBackground,
  runSavedScript,
  listSavedScripts,
  getRun,
  watchRun,
  listRuns,
  cancelRun,
  listApis,
  searchDocs,
  listFunctions,
  getFunctionDocs,
  getSchema,
  readFile,
  readDocument,
  writeFile,
  appendFile,
  listEntries,
  makeFolder,
  copyPath,
  movePath,
  deletePath,
  pathExists,
  pathInfo,
  editFile,
  findFiles,
  searchFiles,
  applyPatch,
  putContent,
  getContent,
  createLink,
  createUploadLink,
  revokeLinks,
  saveReport,
  getUsage,
  createKey,
  listKeys,
  revokeKey,
]
