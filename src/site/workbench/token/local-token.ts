/** Where the service runs for development it hands out a token; everywhere else there is no such address. */

export async function findLocalToken(): Promise<string | null> {
  try {
    const response = await fetch('/local-token.json')
    if (!response.ok) return null
    const { token } = (await response.json()) as { token?: unknown }
    return typeof token === 'string' ? token : null
  } catch {
    return null
  }
}
