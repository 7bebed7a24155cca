/** File scripts for both Moonbucket and native Lua. */

export const MEGABYTES = [1, 10, 50]

const LINE = 'one line of fifty bytes, the newline included ....'
const BLOCK_BYTES = 65_536
const FILE_BYTES = 1024

const writeLines = (megabytes: number) => `
  local f = assert(io.open("lines.txt", "w"))
  for i = 1, ${(megabytes * 1_000_000) / LINE.length} do f:write("${LINE.slice(1)}", "\\n") end
  assert(f:close())`

const readLines = () => `
  local bytes = 0
  for line in io.lines("lines.txt") do bytes = bytes + #line end
  assert(bytes > 0)`

const writeBlocks = (megabytes: number) => `
  local f, block = assert(io.open("blocks.txt", "w")), ("x"):rep(${BLOCK_BYTES})
  for i = 1, ${Math.floor((megabytes * 1_000_000) / BLOCK_BYTES)} do f:write(block) end
  assert(f:close())`

const readBlocks = () => `
  local bytes, f = 0, assert(io.open("blocks.txt"))
  for block in function() return f:read(${BLOCK_BYTES}) end do bytes = bytes + #block end
  assert(bytes > 0 and f:close())`

/** Each reader reads what the writer before it wrote. */
export const FILE_WORK = {
  'write lines': writeLines,
  'read lines': readLines,
  'write blocks': writeBlocks,
  'read blocks': readBlocks,
} satisfies Record<string, (megabytes: number) => string>

export type FileWork = keyof typeof FILE_WORK

/** Repeats a script: a single run is too short compared with starting a process. */
export function repeated(script: string, times: number): string {
  return `for time = 1, ${times} do ${script} end`
}

/** `count` files of a kilobyte each. */
export function filesScript(count: number): { readonly write: string; readonly read: string } {
  return {
    write: `
      local text = ("x"):rep(${FILE_BYTES})
      for i = 1, ${count} do
        local f = assert(io.open("many/" .. i, "w"))
        f:write(text)
        assert(f:close())
      end`,
    read: `
      local bytes = 0
      for i = 1, ${count} do
        local f = assert(io.open("many/" .. i))
        bytes = bytes + #f:read("a")
        f:close()
      end
      assert(bytes == ${count * FILE_BYTES})`,
  }
}

/** One open, and one open for each write; the names need no folder. */
export const smallWrites: Readonly<Record<string, string>> = {
  '8,192 writes of 1 KiB to one file': `
    local text, f = ("x"):rep(1024), assert(io.open("appended", "w"))
    for i = 1, 8192 do f:write(text) end
    assert(f:close())
    os.remove("appended")`,
  '1,024 appends of 1 KiB, each with its own open': `
    local text = ("x"):rep(1024)
    for i = 1, 1024 do
      local f = assert(io.open("appended", "a"))
      f:write(text)
      assert(f:close())
    end
    os.remove("appended")`,
  '1,024 files of 1 KiB': `
    local text = ("x"):rep(1024)
    for i = 1, 1024 do
      local f = assert(io.open("small" .. i, "w"))
      f:write(text)
      assert(f:close())
    end`,
}
