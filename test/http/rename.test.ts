/** A run that renames a file, and others that use the file meanwhile. */
import { describe, expect, it } from 'vitest'
import { makeApp, runtimeStorage } from '../support/make-app.ts'
import { watchedStorage, type Watch } from '../support/watched-storage.ts'

const APPEND = 'io.open("log.txt", "a"):write("late\\n"):close()'
const OVERWRITE = 'io.open("log.txt", "w"):write("late\\n"):close()'

describe('os.rename', () => {
  it.each([
    ['append', APPEND, { 'users/alice/old.txt': 'early\nlate\n' }],
    ['overwrite', OVERWRITE, { 'users/alice/old.txt': 'early\n', 'users/alice/log.txt': 'late\n' }],
  ])('does not lose an %s that another run stored', async (_, script, left) => {
    let isOver = false
    const meanwhile: Watch = async (request, key) => {
      if (isOver || request !== 'put' || !key.endsWith('/old.txt')) return
      isOver = true
      const { error, files_touched } = await run(script)
      expect(error).toBeUndefined()
      expect(files_touched[0]).toEqual(expect.not.objectContaining({ stored: false }))
    }
    const storage = watchedStorage(await runtimeStorage(), () => {}, meanwhile)
    const { run, stored } = await makeApp({ storage })
    await run('io.open("log.txt", "w"):write("early\\n"):close()')
    expect((await run('return os.rename("log.txt", "old.txt")')).result).toBe(true)
    expect(await stored()).toEqual(left)
  })

  it('works the same in the shared folder', async () => {
    const { run, stored } = await makeApp()
    await run('io.open("share/log.txt", "w"):write("early\\n"):close()')
    await run(
      'assert(os.rename("share/log.txt", "share/old.txt")) io.open("share/log.txt", "a"):write("new\\n"):close()',
    )
    expect(await stored()).toEqual({ 'share/old.txt': 'early\n', 'share/log.txt': 'new\n' })
  })
})
