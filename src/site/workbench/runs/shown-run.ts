/** The background run that this tab shows, kept across reloads. */

const KEY = 'moonbucket.run'

export function findShownRun(): string | null {
  return sessionStorage.getItem(KEY)
}

/** @param id `null` for none. */
export function keepShownRun(id: string | null): void {
  if (id === null) sessionStorage.removeItem(KEY)
  else sessionStorage.setItem(KEY, id)
}
