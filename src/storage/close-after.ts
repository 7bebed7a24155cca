/** Files and directories that are open for one piece of work. */

/** What the work gives, or its failure, once what it needed is closed. */
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
