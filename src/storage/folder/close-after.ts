/** Closes a handle after the work that needed it, whether or not that failed. */

/** Settles as `work` does, once `opened` is closed. */
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
