/**
 * `xlsx`, `parquet` and `document`: additions to stock Lua for tables and texts of other programs.
 */
import { library } from '../lua-function.ts'

const NEW = 'Stock Lua has no such library.'

export const XLSX = library({
  name: 'xlsx',
  title: 'XLSX',
  summary: 'Workbooks of Excel, LibreOffice and Google Sheets.',
  differs: NEW,
  functions: [
    {
      signature: 'xlsx.write(path, { sheet = rows }, { columns = names }?)',
      summary: 'Writes a workbook, while its rows come: `rows` is a table or an iterator.',
      details:
        'A row is a list, or a table by column name; then the names of the first row are the header, sorted, unless `columns` gives them. Sheets are in the order of their names; a list of `{ name = …, rows = … }` keeps its own. Cells are text, numbers and booleans; `nil` and `json.null` are empty. Text stays text: `=1+1` is never a formula. Integers beyond 2^53, which Excel would round, are stored as text. A sheet has up to 1,048,576 rows and 16,384 columns, a cell 32,767 characters; anything else raises an error with its row, and the file stays as it was.',
      example:
        'xlsx.write("output/fruit.xlsx", {\n  Fruit = { { name = "pear", kilos = 3.5 }, { name = "fig" } },\n})\nlocal kilos = {}\nfor row in xlsx.rows("output/fruit.xlsx") do\n  kilos[row.name] = row.kilos or "none"\nend\nreturn kilos',
      returns: '{"fig":"none","pear":3.5}',
    },
    {
      signature: 'xlsx.rows(path, sheet?, { header = true }?) → iterator',
      summary: 'Iterates over the rows of a sheet, by name or position; by default the first.',
      details:
        'A row is a table by column name, from the first row, without its empty cells; with `header = false`, a list in which empty cells are `json.null`. Rows without cells are skipped. Dates are text such as `2026-11-17` or `2026-11-17T09:30:00`, formulas their stored results.',
      example:
        'xlsx.write("in.xlsx", { Data = { { "id", "due" }, { 1 }, { 2, "2026-11-17" } } })\nlocal rows = {}\nfor row in xlsx.rows("in.xlsx", "Data", { header = false }) do\n  rows[#rows + 1] = row\nend\nreturn rows',
      returns: '[["id","due"],[1],[2,"2026-11-17"]]',
    },
    {
      signature: 'xlsx.sheets(path) → names',
      summary: 'The names of the sheets, in their order.',
      example:
        'xlsx.write("in.xlsx", { { name = "Totals", rows = {} }, { name = "Data", rows = {} } })\nreturn xlsx.sheets("in.xlsx")',
      returns: '["Totals","Data"]',
    },
  ],
})

export const PARQUET = library({
  name: 'parquet',
  title: 'Parquet',
  summary: 'Tables with types, compressed by column, as DuckDB, pandas and Spark read them.',
  differs: NEW,
  functions: [
    {
      signature: 'parquet.write(path, rows, { columns }?)',
      summary: 'Writes rows from a table or an iterator, in row groups of about 4 MiB.',
      details:
        'A row is a table by column name. `columns` is a list of names, or of `{ name = …, type = … }`; types are `string`, `int64`, `int32`, `double`, `float`, `boolean`, `timestamp` and `date` (ISO 8601 text), `bytes` (base64 text) and `json` (any value). Types that are not given follow from the first row group. `nil` and `json.null` are null. A value of another type raises an error with its row and column, and the file stays as it was.',
      example:
        'parquet.write("output/sales.parquet", {\n  { id = 1, at = "2026-11-17T09:30:00Z" },\n  { id = 2 },\n}, { columns = { "id", { name = "at", type = "timestamp" } } })\nlocal rows = {}\nfor row in parquet.rows("output/sales.parquet") do\n  rows[#rows + 1] = row\nend\nreturn rows',
      returns: '[{"at":"2026-11-17T09:30:00Z","id":1},{"id":2}]',
    },
    {
      signature: 'parquet.rows(path, { columns = names }?) → iterator',
      summary: 'Iterates over the rows, one row group at a time; reads only the named columns.',
      details:
        'Integers are exact. Times are text in UTC, bytes base64, lists and structs tables, nulls `nil`. Pages may be uncompressed or packed with Snappy or GZIP. Another codec, a wrong footer or damaged data raises an error that says where.',
      example:
        'parquet.write("in.parquet", { { id = 1, name = "pear" }, { id = 2, name = "fig" } })\nlocal names = {}\nfor row in parquet.rows("in.parquet", { columns = { "name" } }) do\n  names[#names + 1] = row.name\nend\nreturn names',
      returns: '["pear","fig"]',
    },
    {
      signature: 'parquet.schema(path) → columns',
      summary: 'The columns with name, type and whether they are nullable; reads no rows.',
      example:
        'parquet.write("in.parquet", { { id = 1, name = "pear" } })\nlocal types = {}\nfor _, column in ipairs(parquet.schema("in.parquet")) do\n  types[column.name] = column.type\nend\nreturn types',
      returns: '{"id":"int64","name":"string"}',
    },
  ],
})

export const DOCUMENT = library({
  name: 'document',
  title: 'Documents',
  summary: 'Text out of PDF, DOCX, XLSX, PPTX, EPUB, HTML, CSV, Markdown and plain text.',
  differs: NEW,
  functions: [
    {
      signature: 'document.text(path, { pages = "1-3" }?) → string',
      summary: 'The text as Markdown, with headings, lists and tables.',
      details:
        'The content decides what a file is, not its name. Pages of a PDF, slides, sheets and chapters begin with `<!-- page 1 -->`, and `pages` chooses some: `"3"`, `"1-3"`, `"5-"`, `"1-3,7"`. A PDF has no headings of its own: large letters make them. Nothing inside is run or fetched, no scripts, macros, pictures or links. An encrypted or damaged file, or one without text, such as a scan, raises an error that says so.',
      example:
        'file.save("page.html", "<h1>Fruit</h1><ul><li>pear<li>fig</ul><script>run()</script>")\nreturn document.text("page.html")',
      returns: '"# Fruit\\n\\n- pear\\n- fig\\n"',
    },
  ],
})
