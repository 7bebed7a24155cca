/** Closes a handle after use, whether or not that failed. */

export async function closeAfter<T>(
  work: Promise<T>,
  opened: { close(): Promise<void> },
): Promise<T> {
  try {
    return await work
  } finally {
    await opened.close()
  }
}
