/** Work of the formats, to measure its time per unit of fuel. */

/** Description, setup, and the code to measure. */
export const FORMAT_WORK: [what: string, before: string, script: string][] = [
  [
    'reading CSV',
    'file.save("f.csv", "a,b,c\\n" .. ("one field,another,third\\n"):rep(40000))',
    'for row in csv.rows("f.csv") do end',
  ],
  [
    'reading CSV of short fields',
    'file.save("f.csv", ("1,2,3,4,5,6,7,8,9,0\\n"):rep(30000))',
    'for row in csv.rows("f.csv", { header = false }) do end',
  ],
  ['reading CSV of escaped quotes', `local s = ('"a""b","""",x\\n'):rep(30000)`, 'csv.decode(s)'],
  [
    'reading CSV of many columns and short rows',
    'local s = ("a"):rep(1000, ",") .. "\\n" .. ("1\\n"):rep(2000) s = s:gsub("a", function() n = (n or 0) + 1 return "c" .. n end)',
    'csv.decode(s, { header = true })',
  ],
  [
    'writing CSV',
    'local row = { "one field", 2, 3.5, true }',
    'for i = 1, 30000 do csv.encode(row) end',
  ],
  ['raising for bad CSV', '', `for i = 1, 20000 do pcall(csv.decode, '"') end`],
  [
    'coding much',
    'local s = ("x"):rep(1000000)',
    'for i = 1, 5 do codec.base64_decode(codec.base64_encode(s)) codec.hex_decode(codec.hex_encode(s)) end',
  ],
  ['coding little', '', 'for i = 1, 50000 do codec.url_decode(codec.url_encode("a b")) end'],
  [
    'hashing much',
    'local s = ("x"):rep(1000000)',
    'for i = 1, 20 do codec.sha256(s) codec.crc32(s) end',
  ],
  ['hashing little', '', 'for i = 1, 3000 do codec.sha256("x") codec.hmac_sha256("k", "x") end'],
  [
    'compressing',
    'local t = {} for i = 1, 100000 do t[i] = i * 7919 % 100003 end file.save("f", table.concat(t, ","))',
    'for i = 1, 5 do gzip.compress("f", "f.gz") end',
  ],
  [
    'decompressing',
    'local t = {} for i = 1, 100000 do t[i] = i * 7919 % 100003 end file.save("f", table.concat(t, ",")) gzip.compress("f", "f.gz")',
    'for i = 1, 10 do gzip.decompress("f.gz", "g") end',
  ],
  [
    'decompressing zeros',
    'file.save("f", ("\\0"):rep(5000000)) gzip.compress("f", "f.gz")',
    'for i = 1, 5 do gzip.decompress("f.gz", "g") end',
  ],
  [
    'making an archive of many files',
    'for i = 1, 500 do file.save("d/" .. i, "x") end',
    'zip.create("a.zip", { "d" })',
  ],
  [
    'extracting many files',
    'for i = 1, 500 do file.save("d/" .. i, "x") end zip.create("a.zip", { "d" })',
    'for i = 1, 3 do zip.extract("a.zip", "e") end',
  ],
  [
    'listing an archive of many files',
    'for i = 1, 500 do file.save("d/" .. i, "x") end zip.create("a.zip", { "d" })',
    'for i = 1, 20 do zip.list("a.zip") end',
  ],
]
