/** The dev server's token; elsewhere the path does not exist. */

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
