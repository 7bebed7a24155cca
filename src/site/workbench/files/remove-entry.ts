/** Deletes a file or folder after confirmation. */
import { confirmed } from '../page/open-dialog.ts'
import type { Client, Entry } from '../service/client.ts'

/** Returns whether it was deleted. @throws {RequestFailed} */
export async function removeEntry(client: Client, { name, path, type }: Entry): Promise<boolean> {
  const warning = type === 'folder' ? 'Everything in it goes too. ' : ''
  const detail = `${warning}This cannot be undone.`
  if (!(await confirmed(`Delete ${name}?`, detail, 'Delete'))) return false
  await client.remove(path)
  return true
}
