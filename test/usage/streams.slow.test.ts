/** Files that go up while they are written, under a quota. */
import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../src/storage/memory.ts'
import { makeQuotaApp } from './make-quota-app.ts'

const MIB = 1024 * 1024
const IO = { IO_MAX_BYTES: String(400 * MIB) }

/** Writes this many MiB, line by line. */
const writing = (mib: number) => `
  local f = io.open("large.txt", "w")
  local line = ("x"):rep(1023) .. "\\n"
  for i = 1, ${mib} * 1024 do f:write(line) end
  f:close()
`

describe('a stream', () => {
  it('costs two requests, and two more per 64 MiB', async () => {
    const options = { env: IO, storage: memoryStorage() }
    const app = await makeQuotaApp({ QUOTA_BYTES: 4_000 * MIB }, options)
    await app.write('first', 1)
    app.requests.length = 0
    const answer = await app.run(writing(200))
    expect(answer.error).toBeUndefined()
    const marks = 1 + Math.ceil((200 - 8) / 64)
    expect(app.requests).toEqual(Array.from({ length: marks }, () => ['put', 'list']).flat())
  })

  it('ends at the quota: the write raises, and nothing of it is left', async () => {
    const storage = memoryStorage()
    const app = await makeQuotaApp({ QUOTA_BYTES: 30 * MIB }, { env: IO, storage })
    const answer = await app.run(`
      io.open("small.txt", "w"):write("kept"):close()
      io.list()
      local ok, message = pcall(function() ${writing(100)} end)
      return message
    `)
    expect(answer.result).toContain('storage quota exceeded (31457280 bytes)')
    expect(answer.error?.kind).toBe('limit')
    expect(answer.files_touched).toMatchObject([
      { name: 'large.txt', stored: false },
      { name: 'small.txt', bytes: 4 },
    ])
    expect(await app.filesOf()).toEqual({ bytes: 4, objects: 1 })
    expect(storage.unfinishedUploads()).toEqual([])
  })

  it('uses what is left although it does not know its length', async () => {
    const options = { env: IO, storage: memoryStorage() }
    const app = await makeQuotaApp({ QUOTA_BYTES: 41 * MIB }, options)
    expect((await app.run(writing(40))).error).toBeUndefined()
    expect((await app.filesOf()).bytes).toBe(40 * MIB)
  })
})
