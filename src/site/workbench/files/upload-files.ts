/** Uploads files one by one; asks before replacing. */
import { confirmed } from '../page/open-dialog.ts'
import type { Client } from '../service/client.ts'
import { RequestFailed } from '../service/failure.ts'

/** Returns how many were uploaded. @throws {RequestFailed} at the first failure. */
export async function uploadFiles(
  client: Client,
  folder: string,
  files: readonly File[],
  tell: (progress: string) => void,
): Promise<number> {
  let stored = 0
  for (const [i, file] of files.entries()) {
    const count = files.length > 1 ? ` (${i + 1} of ${files.length})` : ''
    tell(`Uploading ${file.name}${count}…`)
    const path = folder === '' ? file.name : `${folder}/${file.name}`
    if (await uploadOne(client, path, file)) stored++
  }
  return stored
}

async function uploadOne(client: Client, path: string, file: File): Promise<boolean> {
  try {
    await client.upload(path, file, false)
    return true
  } catch (error) {
    const isTaken = error instanceof RequestFailed && error.status === 412
    if (!isTaken) throw error
  }
  const detail = 'What is there now would be lost.'
  if (!(await confirmed(`Replace ${path}?`, detail, 'Replace'))) return false
  await client.upload(path, file, true)
  return true
}
