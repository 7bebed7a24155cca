/**
 * Reads a file as a document, a workbook or a Parquet file, in a script with the limits of Workers.
 */
import { memoryStorage } from '../../src/storage/memory.ts'
import { runLua } from '../support/run-lua.ts'

const READ = `
local readers = {
  document = function() return #document.text("in") end,
  xlsx = function()
    local n = 0
    for _, sheet in ipairs(xlsx.sheets("in")) do
      for row in xlsx.rows("in", sheet, { header = false }) do n = n + #row end
    end
    return n
  end,
  parquet = function()
    local n = #parquet.schema("in")
    for row in parquet.rows("in") do n = n + 1 end
    return n
  end,
}
return readers[args]()`

export type Reader = 'document' | 'xlsx' | 'parquet'

export async function readHostile(reader: Reader, file: Uint8Array) {
  const storage = memoryStorage()
  await storage.put('area/in', file)
  return runLua(READ, { storage, args: reader, limits: { parseBytes: 8_388_608 } })
}
