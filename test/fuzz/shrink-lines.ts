/** Removes lines from a text as long as it still fails. */
export async function shrinkLines(
  text: string,
  fails: (smaller: string) => Promise<boolean>,
): Promise<string> {
  let lines = text.split('\n')
  for (let size = Math.ceil(lines.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < lines.length;) {
      const fewer = lines.toSpliced(at, size)
      if (fewer.length > 0 && (await fails(fewer.join('\n')))) lines = fewer
      else at += size
    }
  }
  return lines.join('\n')
}
