/** The script draft, kept across reloads. A tab prefers its own; a new one takes the latest. */

export interface ScriptDraft {
  readonly script: string
  readonly args: string
}

const KEY = 'moonbucket.draft'

/** `null` on a first visit. */
export function findDraft(): ScriptDraft | null {
  return parseDraft(sessionStorage.getItem(KEY)) ?? parseDraft(localStorage.getItem(KEY))
}

export function keepDraft({ script, args }: ScriptDraft): void {
  const text = JSON.stringify({ script, args })
  for (const storage of [sessionStorage, localStorage]) {
    try {
      storage.setItem(KEY, text)
    } catch {
      // Storage is full or forbidden: the text stays on the page.
    }
  }
}

function parseDraft(text: string | null): ScriptDraft | null {
  try {
    const { script, args } = JSON.parse(text ?? '') as Partial<ScriptDraft>
    return typeof script === 'string'
      ? { script, args: typeof args === 'string' ? args : '' }
      : null
  } catch {
    return null
  }
}
