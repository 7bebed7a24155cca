/** Parts as the service sends them: as large, and as many at a time. */
export const PART_BYTES = 8 * 1024 * 1024
export const PARALLEL_PARTS = 2

/** Calls `put` with each number from 1 on; resolves to what it returned, in order. */
export async function rawParts<Part>(
  mib: number,
  parallel: number,
  put: (number: number) => Promise<Part>,
): Promise<Part[]> {
  const count = (mib * 1024 * 1024) / PART_BYTES
  const parts: Part[] = []
  let last = 0
  const putNext = async () => {
    while (last < count) {
      const number = ++last
      parts[number - 1] = await put(number)
    }
  }
  await Promise.all(Array.from({ length: parallel }, putNext))
  return parts
}
