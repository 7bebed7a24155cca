/** Saves the script in the editor under a name, and opens saved ones. */
import { store } from '../files/edit-file.ts'
import { asked, failureLine } from '../page/notes.ts'
import type { Client } from '../service/client.ts'
import { pathOf, readSaved } from '../service/saved-scripts.ts'
import { openSaved } from './saved-dialog.ts'

interface SavedParts {
  readonly client: Client
  /** What the editor has. */
  script(): string
  /** Replaces it. */
  load(script: string, from: string): void
  run(name: string, args: string): void
  /** Shows a sentence beside the script. */
  tell(text: string): void
  onSaved(): void
}

export function savedScripts({ client, script, load, run, tell, onSaved }: SavedParts) {
  /** The one in the editor: its version is replaced without a question. */
  let opened: { readonly name: string; readonly etag: string } | undefined

  async function save(): Promise<void> {
    const name = await asked({
      question: 'Save this script',
      label: 'Name, such as reports/daily; for the team, share/daily',
      text: opened?.name ?? '',
      yes: 'Save',
    })
    if (name === null) return
    try {
      const before = opened?.name === name ? opened.etag : null
      const etag = await store(client, pathOf(name), new Blob([script()]), before)
      if (etag === null) return tell('Not saved.')
      opened = { name, etag }
      tell(`Saved as ${name}.`)
      onSaved()
    } catch (error) {
      tell(failureLine(error))
    }
  }

  async function edit(name: string): Promise<void> {
    const { script: text, etag } = await readSaved(client, name)
    load(text, `Saved as ${name}.`)
    opened = { name, etag }
  }

  return { save, open: () => openSaved({ client, run, edit }) }
}
