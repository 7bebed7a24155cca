/** A run that renames a file, and others that use the file meanwhile. */
import { describe, expect, it } from 'vitest'
import type { StorageDriver } from '../../src/storage/driver.ts'
import { makeApp, runtimeStorage } from '../support/make-app.ts'

const APPEND = 'io.open("log.txt", "a"):write("late\\n"):close()'
const OVERWRITE = 'io.open("log.txt", "w"):write("late\\n"):close()'

/** The same store; after the first write to `old.txt`, whoever made it has to wait for something else. */
function interrupted(storage: StorageDriver, meanwhile: () => Promise<void>): StorageDriver {
  let isOver = false
  return {
    ...storage,
    async put(key, body, options) {
      const stored = await storage.put(key, body, options)
      if (!isOver && key.endsWith('/old.txt')) {
        isOver = true
        await meanwhile()
      }
      return stored
    },
  }
}

describe('os.rename', () => {
  it.each([
    ['append', APPEND, { 'old.txt': 'early\nlate\n' }],
    ['overwrite', OVERWRITE, { 'old.txt': 'early\n', 'log.txt': 'late\n' }],
  ])('does not lose an %s that another run was told is stored', async (_, script, left) => {
    const storage = interrupted(await runtimeStorage(), async () => {
      const { error, files_touched } = await run(script)
      expect([error, files_touched[0]]).toEqual([
        undefined,
        expect.not.objectContaining({ stored: false }),
      ])
    })
    const { run, textsUnder } = await makeApp({ storage })
    await run('io.open("log.txt", "w"):write("early\\n"):close()')
    expect((await run('return os.rename("log.txt", "old.txt")')).result).toBe(true)
    const texts = Object.entries(await textsUnder())
    expect(Object.fromEntries(texts.map(([key, text]) => [key.split('/').at(-1), text]))).toEqual(
      left,
    )
  })

  it('works the same in the shared folder', async () => {
    const { run, textsUnder, tenant } = await makeApp()
    await run('io.open("share/log.txt", "w"):write("early\\n"):close()')
    await run(
      'assert(os.rename("share/log.txt", "share/old.txt")) io.open("share/log.txt", "a"):write("new\\n"):close()',
    )
    expect(await textsUnder()).toEqual({
      [`${tenant}/share/old.txt`]: 'early\n',
      [`${tenant}/share/log.txt`]: 'new\n',
    })
  })
})
