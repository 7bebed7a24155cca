/** Deletes a file or a folder, once somebody has agreed. */
import { confirmed } from '../page/open-dialog.ts'
import type { Entry } from '../../../operations/files/file-entries.ts'
import type { Client } from '../service/client.ts'

/** Whether it is gone now. @throws {RequestFailed} */
export async function removeEntry(client: Client, { name, path, type }: Entry): Promise<boolean> {
  const warning = type === 'folder' ? 'Everything in it goes too. ' : ''
  const detail = `${warning}This cannot be undone.`
  if (!(await confirmed(`Delete ${name}?`, detail, 'Delete'))) return false
  await client.remove(path)
  return true
}
