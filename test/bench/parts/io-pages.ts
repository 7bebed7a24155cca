/** The page of a CSV file of 100 MB, at its start, middle and end, beside one of 100 KB. */
import { folderStorage } from '../../../src/storage/folder/folder.ts'
import { makeApp } from '../../support/make-app.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { median, ratiosOf, spreadOf, takeTurns, timed } from '../measure.ts'
import { say } from '../progress.ts'
import type { Comparison } from '../results.ts'

const ROUNDS = 15
const SMALL_BYTES = 100_000
const LARGE_BYTES = 100_000_000
const ROW = '1234,"Some person, by name",Lausanne,1234.50,true,2026-11-18\n'
const PLACES = { 'first page': '', middle: '&percent=50', 'last page': '&percent=100' }

export async function dataPages(): Promise<Comparison> {
  say('pages of CSV files')
  const { send, run } = await makeApp({
    storage: folderStorage(tempFolder()),
    limits: { writeBytes: 2 * LARGE_BYTES },
  })
  const linkTo = async (path: string, bytes: number) => {
    const { error } = await run(writing(path, Math.ceil(bytes / ROW.length)))
    if (error) throw new Error(error.message)
    const answer = await send('/links', { method: 'POST', body: JSON.stringify({ path }) })
    return ((await answer.json()) as { link: string }).link
  }
  const small = await linkTo('small.csv', SMALL_BYTES)
  const large = await linkTo('large.csv', LARGE_BYTES)
  const open = async (link: string) => {
    const page = await send(link, { headers: { Accept: 'text/html' } })
    if (!(await page.text()).includes('<tbody>')) throw new Error('expected a table')
  }
  const rows = []
  for (const [name, place] of Object.entries(PLACES)) {
    const taken = await takeTurns(
      { large: timed(() => open(large + place)), small: timed(() => open(small)) },
      { rounds: ROUNDS, budgetMs: 5_000, warmUps: 3 },
    )
    const more = { '100 MB ms': median(taken.large), '100 KB ms': median(taken.small) }
    rows.push({ name, value: spreadOf(ratiosOf(taken.large, taken.small)), more })
  }
  return {
    id: 'io-pages',
    title: 'The page of a CSV file of 100 MB: time as a multiple of the first page of 100 KB',
    unit: 'times 100 KB',
    rounds: ROUNDS,
    hasChart: false,
    rows,
  }
}

function writing(path: string, rows: number): string {
  return `
    local file = assert(io.open("${path}", "w"))
    file:write("id,name,city,amount,paid,day\\n")
    local row = [[${ROW.trimEnd()}]] .. "\\n"
    for i = 1, ${rows} do file:write(row) end
    file:close()`
}
