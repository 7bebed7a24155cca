/** The sheets of a workbook as Markdown tables. */
import type { ByteSource, FormatHost } from '../format-host.ts'
import { readSheet } from '../xlsx/read-sheet.ts'
import { openWorkbook } from '../xlsx/workbook.ts'
import { markdownTable } from './markdown-builder.ts'
import { joinPages, type WantsPage } from './pages.ts'
import type { TextRoom } from './text-room.ts'

const FUEL_PER_CELL = 200
const SEPARATOR_LENGTH = 3

/** @throws {FormatError} */
export async function xlsxText(
  source: ByteSource,
  host: FormatHost,
  room: TextRoom,
  wants: WantsPage,
): Promise<string> {
  const workbook = await openWorkbook(source, host)
  const texts: [number, string][] = []
  for (const [i, sheet] of workbook.sheets.entries()) {
    if (!wants(i + 1)) continue
    const rows: string[][] = []
    for await (const batch of readSheet(workbook, sheet, source.name)) {
      for (const row of batch) {
        const cells = row.map((cell) => (cell === null ? '' : String(cell)))
        room.take(cells.reduce((sum, cell) => sum + cell.length + SEPARATOR_LENGTH, 0))
        rows.push(cells)
      }
      await host.work(batch.reduce((sum, row) => sum + row.length, 0) * FUEL_PER_CELL)
    }
    texts.push([i + 1, `## ${sheet.name}\n\n${markdownTable(rows)}`])
  }
  return joinPages(texts, workbook.sheets.length, source.name)
}
