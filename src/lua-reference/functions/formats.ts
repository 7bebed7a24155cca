/** `csv`, `gzip`, `zip` and `codec`: additions to stock Lua for data in common formats. */
import { library } from '../lua-function.ts'

const NEW = 'Stock Lua has no such library.'

export const CSV = library({
  name: 'csv',
  title: 'CSV',
  summary:
    'Tables of text, as spreadsheets and databases exchange them (RFC 4180): quotes, embedded line ends, any line end, a byte order mark.',
  differs: NEW,
  functions: [
    {
      signature: 'csv.rows(path or handle, { header = true, separator = "," }?) → iterator',
      summary: 'Iterates over the rows of a file of any size.',
      details:
        'A row is a table by column name, from the first line; with `header = false`, a list. Fields are strings of the bytes in the file; those missing at the end of a row are `nil`, and of columns with one name the last counts. Blank lines are skipped. A quote that is never closed, text after a closing quote, a row with more fields than the header, more than 16,384 columns, or a row longer than 4 MiB raises an error with its line. A handle is read ahead and stays open.',
      example:
        'file.save("in.csv", "name,note\\npear,\\"ripe, sweet\\"\\nfig,\\n")\nlocal notes = {}\nfor row in csv.rows("in.csv") do\n  notes[row.name] = row.note\nend\nreturn notes',
      returns: '{"fig":"","pear":"ripe, sweet"}',
    },
    {
      signature:
        'csv.writer(path or handle, { columns?, separator = ",", formulas = false }?) → writer',
      summary: 'Writes rows with `writer:write(row)`, and ends with `writer:close()`.',
      details:
        'A row is a list, or a table by column name. `columns` writes a header and picks the fields; without it, the first row by name decides, sorted. `nil` and `json.null` are empty, other tables JSON, floats as short as they are exact. Text that begins with `=`, `+`, `-`, `@`, a tab or a carriage return and is no number gets an apostrophe in front, so that no spreadsheet takes it for a formula; `formulas = true` writes it as it is. A writer can be a `<close>` variable; it leaves a handle open.',
      example:
        'local out <close> = csv.writer("out.csv", { columns = { "name", "total" } })\nout:write({ name = "pear", total = 3 }):write({ "fig, dried", -1.5 })\nout:write({ name = "=1+1" })\nout:close()\nreturn io.open("out.csv"):read("a")',
      returns: '"name,total\\r\\npear,3\\r\\n\\"fig, dried\\",-1.5\\r\\n\'=1+1,\\r\\n"',
    },
    {
      signature: 'csv.encode(row, { columns?, separator = ",", formulas = false }?) → string',
      summary: 'Writes one row, without a line end.',
      details: 'Options and rules are those of `csv.writer`.',
      example: 'return csv.encode({ "a,b", 2, true, \'say "hi"\' })',
      returns: '"\\"a,b\\",2,true,\\"say \\"\\"hi\\"\\"\\""',
    },
    {
      signature: 'csv.decode(text, { header = false, separator = "," }?) → list of rows',
      summary: 'Reads all rows of a text; each is a list, or a table with `header = true`.',
      example:
        'local lists = csv.decode("a;b\\n1;2", { separator = ";" })\nlocal named = csv.decode("a,b\\n1,2", { header = true })\nreturn { lists[2][1], named[1].b }',
      returns: '["1","2"]',
    },
  ],
})

export const GZIP = library({
  name: 'gzip',
  title: 'gzip',
  summary: 'Compresses and decompresses files of any size; bytes never pass through the script.',
  differs: NEW,
  functions: [
    {
      signature: 'gzip.compress(from, to) → { path, bytes }',
      summary: 'Compresses a file into another, which appears once it is complete.',
      example:
        'file.save("log.txt", ("line\\n"):rep(1000))\nreturn gzip.compress("log.txt", "log.txt.gz").bytes < 100',
      returns: 'true',
    },
    {
      signature: 'gzip.decompress(from, to) → { path, bytes }',
      summary: 'Decompresses a file, also one of several parts; its checksums must be right.',
      details:
        'A file that is cut off, damaged, or followed by something else raises an error, and nothing is stored. What it becomes counts as written bytes.',
      example:
        'file.save("a.txt", "hello")\ngzip.compress("a.txt", "a.gz")\ngzip.decompress("a.gz", "b.txt")\nreturn io.open("b.txt"):read("a")',
      returns: '"hello"',
    },
  ],
})

export const ZIP = library({
  name: 'zip',
  title: 'ZIP archives',
  summary: 'Many files as one, and back; archives may be larger than memory and than 4 GiB.',
  differs: NEW,
  functions: [
    {
      signature: 'zip.create(path, { names or folders }) → { path, bytes, files }',
      summary: 'Puts files, and all files below folders, into a new archive under their paths.',
      details: 'The archive appears once it is complete. It never contains itself.',
      example:
        'file.save("data/a.txt", "a")\nfile.save("data/more/b.txt", "b")\nreturn zip.create("all.zip", { "data" }).files',
      returns: '2',
    },
    {
      signature: 'zip.list(path) → list of { name, bytes, compressed_bytes, modified }',
      summary: 'Lists what is in an archive, without reading its content.',
      example:
        'file.save("a.txt", "aaa")\nzip.create("a.zip", { "a.txt" })\nlocal entry = zip.list("a.zip")[1]\nreturn { entry.name, entry.bytes }',
      returns: '["a.txt",3]',
    },
    {
      signature: 'zip.extract(path, folder) → list of { path, bytes }',
      summary: 'Extracts all files of an archive below a folder; `"."` is the root.',
      details:
        'Before the first file is written, every name must be a path of this run: `..`, absolute names, control characters, two entries of one name, symbolic links, encrypted entries and unknown compression raise an error. Each file appears complete, with the right checksum, or not at all; those before a damaged one stay. Folders without files are left out.',
      example:
        'file.save("a/b.txt", "hello")\nzip.create("a.zip", { "a" })\nlocal files = zip.extract("a.zip", "copy")\nreturn { files[1].path, io.open("copy/a/b.txt"):read("a") }',
      returns: '["copy/a/b.txt","hello"]',
    },
  ],
})

export const CODEC = library({
  name: 'codec',
  title: 'Encodings and hashes',
  summary:
    'Strings in, strings out, exact for any bytes. Bad input raises an error with a position.',
  differs: NEW,
  functions: [
    {
      signature: 'codec.base64_encode(bytes) → string',
      summary: 'Base64 with padding.',
      example: 'return codec.base64_encode("hello")',
      returns: '"aGVsbG8="',
    },
    {
      signature: 'codec.base64_decode(text) → bytes',
      summary: 'Reads base64, also with the alphabet of URLs, without padding, or in lines.',
      example: 'return codec.base64_decode("aGVs\\nbG8")',
      returns: '"hello"',
    },
    {
      signature: 'codec.hex_encode(bytes) → string',
      summary: 'Two lower-case hexadecimal digits per byte.',
      example: 'return codec.hex_encode("\\0\\255z")',
      returns: '"00ff7a"',
    },
    {
      signature: 'codec.hex_decode(text) → bytes',
      summary: 'Reads hexadecimal digits of either case.',
      example: 'return codec.hex_decode("68656C6c6f")',
      returns: '"hello"',
    },
    {
      signature: 'codec.url_encode(bytes) → string',
      summary: 'Escapes everything but letters, digits and `-._~` as `%XX`.',
      example: 'return codec.url_encode("a b/ü")',
      returns: '"a%20b%2F%C3%BC"',
    },
    {
      signature: 'codec.url_decode(text) → bytes',
      summary: 'Reads `%XX`; a plus sign stays one.',
      example: 'return codec.url_decode("a%20b+c")',
      returns: '"a b+c"',
    },
    {
      signature: 'codec.sha256(bytes) → string',
      summary:
        'The SHA-256 hash, as 64 hexadecimal digits; `codec.hex_decode` makes bytes of them.',
      example: 'return codec.sha256("hello"):sub(1, 16)',
      returns: '"2cf24dba5fb0a30e"',
    },
    {
      signature: 'codec.hmac_sha256(key, bytes) → string',
      summary: 'The HMAC with SHA-256, as 64 hexadecimal digits.',
      example: 'return codec.hmac_sha256("key", "hello"):sub(1, 16)',
      returns: '"9307b3b915efb517"',
    },
    {
      signature: 'codec.crc32(bytes) → string',
      summary: 'The checksum of ZIP and gzip, as 8 hexadecimal digits.',
      example: 'return codec.crc32("123456789")',
      returns: '"cbf43926"',
    },
  ],
})
