/** Rows of a file that stays open while a script reads them. */
import type { RowReader } from './format-host.ts'

const BATCH_BYTES = 48 * 1024

export function rowReader(
  batches: AsyncGenerator<readonly unknown[]>,
  close: () => void,
): RowReader {
  return {
    async next() {
      const { value, done } = await batches.next()
      return done ? null : value
    },
    close,
  }
}

/** Some rows at a time, as {@link RowReader.next} gives them. */
export function* batchesOf<Row>(
  rows: Iterable<Row>,
  bytesOf: (row: Row) => number,
): Generator<Row[]> {
  let batch: Row[] = []
  let bytes = 0
  for (const row of rows) {
    batch.push(row)
    bytes += bytesOf(row)
    if (bytes < BATCH_BYTES) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}
