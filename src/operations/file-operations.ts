/** Every operation on files: HTTP makes a route of each, and models get a tool. */
import { applyPatch } from './files/apply-patch.ts'
import { createLink } from './links/create-link.ts'
import { createUploadLink } from './links/create-upload-link.ts'
import { deletePath } from './files/delete-path.ts'
import { editFile } from './files/edit-file.ts'
import { findFiles } from './files/find-files.ts'
import { listFolder } from './files/list-folder.ts'
import { makeFolder } from './files/make-folder.ts'
import type { Operation } from './operation.ts'
import { pathExists } from './files/path-exists.ts'
import { pathInfo } from './files/path-info.ts'
import { readFile } from './files/read-file.ts'
import { saveReport } from './reports/save-report.ts'
import { writeFile } from './files/write-file.ts'

/** `POST /fs/<name>`: answers, also refusals, come in an envelope. */
export const FILE_OPERATIONS: readonly Operation[] = [
  readFile,
  writeFile,
  listFolder,
  makeFolder,
  deletePath,
  pathExists,
  pathInfo,
  editFile,
  findFiles,
  applyPatch,
]

/** `POST /links`, `POST /links/upload` and `POST /reports`: the output is the answer. */
export const PLAIN_OPERATIONS: readonly Operation[] = [createLink, createUploadLink, saveReport]
