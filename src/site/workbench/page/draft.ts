/** What a person has written, kept across reloads. A tab prefers its own; a new one begins with the latest. */

/** The script and its arguments, as text. */
export interface Draft {
  readonly script: string
  readonly args: string
}

const KEY = 'moonbucket.draft'

/** `null` on a first visit. */
export function findDraft(): Draft | null {
  return parseDraft(sessionStorage.getItem(KEY)) ?? parseDraft(localStorage.getItem(KEY))
}

export function keepDraft({ script, args }: Draft): void {
  const text = JSON.stringify({ script, args })
  for (const storage of [sessionStorage, localStorage]) {
    try {
      storage.setItem(KEY, text)
    } catch {
      // Full or forbidden: the text stays on the page, which is all that can be done.
    }
  }
}

function parseDraft(text: string | null): Draft | null {
  try {
    const { script, args } = JSON.parse(text ?? '') as Partial<Draft>
    return typeof script === 'string'
      ? { script, args: typeof args === 'string' ? args : '' }
      : null
  } catch {
    return null
  }
}
