/** Every operation on files: HTTP makes a route of each, and models get a tool. */
import { applyPatch } from './apply-patch.ts'
import { createLink } from './create-link.ts'
import { createUploadLink } from './create-upload-link.ts'
import { deletePath } from './delete-path.ts'
import { editFile } from './edit-file.ts'
import { findFiles } from './find-files.ts'
import { listFolder } from './list-folder.ts'
import { makeFolder } from './make-folder.ts'
import type { Operation } from './operation.ts'
import { pathExists } from './path-exists.ts'
import { pathInfo } from './path-info.ts'
import { readFile } from './read-file.ts'
import { saveReport } from './save-report.ts'
import { writeFile } from './write-file.ts'

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
