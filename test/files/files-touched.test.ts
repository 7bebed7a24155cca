/** What a run reports about the files it touched. */
import { describe, expect, it } from 'vitest'
import { Run, storageWith, textsIn } from './harness.ts'

const STORED = { 'log.txt': 'old', 'other.txt': 'other' }

type Row = [name: string, op: string, bytes: number]

const SCRIPTS: [script: string, act: (run: Run) => Promise<void>, rows: Row[]][] = [
  ['reads', async (run) => void (await run.load('log.txt')), []],
  ['opens with r+', async (run) => void (await run.open('log.txt', 'r+')), []],
  ['writes nothing with r+', (run) => run.save('log.txt', 'r+', ''), []],
  ['writes with r+', (run) => run.save('log.txt', 'r+', 'OLDER'), [['log.txt', 'write', 5]]],
  ['opens with w', async (run) => void (await run.open('log.txt', 'w')), [['log.txt', 'write', 0]]],
  ['creates with w', (run) => run.save('new', 'w', 'abc'), [['new', 'write', 3]]],
  [
    'opens with a',
    async (run) => void (await run.open('log.txt', 'a')),
    [['log.txt', 'append', 3]],
  ],
  ['appends', (run) => run.save('log.txt', 'a', '++'), [['log.txt', 'append', 5]]],
  ['creates with a', async (run) => void (await run.open('new', 'a')), [['new', 'write', 0]]],
  [
    'reads and appends',
    async (run) => {
      await run.load('log.txt')
      const handle = await run.open('log.txt', 'a+')
      await run.read(handle)
      await run.write(handle, '+')
    },
    [['log.txt', 'append', 4]],
  ],
  [
    'appends and opens with r+',
    async (run) => {
      await run.save('log.txt', 'a', '+')
      await run.open('log.txt', 'r+')
    },
    [['log.txt', 'append', 4]],
  ],
  [
    'appends and writes with r+',
    async (run) => {
      await run.save('log.txt', 'a', '+')
      await run.save('log.txt', 'r+', 'O')
    },
    [['log.txt', 'write', 4]],
  ],
  [
    'appends and overwrites',
    async (run) => {
      await run.save('log.txt', 'a', '+')
      await run.save('log.txt', 'w', 'new')
    },
    [['log.txt', 'write', 3]],
  ],
  [
    'overwrites and appends',
    async (run) => {
      await run.save('log.txt', 'w', 'new')
      await run.save('log.txt', 'a', '+')
    },
    [['log.txt', 'write', 4]],
  ],
  ['removes', (run) => run.remove('log.txt'), [['log.txt', 'remove', 0]]],
  [
    'creates and removes',
    async (run) => {
      await run.save('temp', 'w', 'abc')
      await run.remove('temp')
    },
    [['temp', 'remove', 0]],
  ],
  [
    'removes and appends',
    async (run) => {
      await run.remove('log.txt')
      await run.save('log.txt', 'a', 'new')
    },
    [['log.txt', 'write', 3]],
  ],
  [
    'renames',
    (run) => run.rename('log.txt', 'old/log.txt'),
    [
      ['log.txt', 'remove', 0],
      ['old/log.txt', 'write', 3],
    ],
  ],
  [
    'renames over another',
    (run) => run.rename('log.txt', 'other.txt'),
    [
      ['log.txt', 'remove', 0],
      ['other.txt', 'write', 3],
    ],
  ],
  [
    'renames and renames back',
    async (run) => {
      await run.rename('log.txt', 'x')
      await run.rename('x', 'log.txt')
    },
    [
      ['log.txt', 'write', 3],
      ['x', 'remove', 0],
    ],
  ],
  [
    'fails to open',
    async (run) => {
      await expect(run.open('missing', 'r')).rejects.toMatchObject({ code: 'ENOENT' })
      await expect(run.open('log.txt/x', 'w')).resolves.toBe(3)
    },
    [['log.txt/x', 'write', 0]],
  ],
]

describe('a script that', () => {
  it.each(SCRIPTS)('%s', async (_, act, rows) => {
    const storage = await storageWith(STORED)
    const run = new Run(storage)
    await act(run)
    const expected = rows.map(([name, op, bytes]) => ({ name, op, bytes }))
    expect(await run.files.finish()).toEqual(expected)

    const texts = await textsIn(storage)
    for (const [name, op, bytes] of rows) {
      expect(texts[name]?.length).toBe(op === 'remove' ? undefined : bytes)
    }
  })
})

describe('finish', () => {
  it('gives rows in the order of UTF-8 bytes', async () => {
    const run = new Run(await storageWith())
    for (const name of ['😀', '\uff5e', 'é', 'b', 'a/x', 'a0', 'B']) await run.save(name, 'w', '')
    const names = (await run.files.finish()).map((row) => row.name)
    expect(names).toEqual(['B', 'a/x', 'a0', 'b', 'é', '\uff5e', '😀'])
  })

  it('closes what was left open', async () => {
    const run = new Run(await storageWith())
    const handle = await run.open('a', 'w')
    await run.files.finish()
    expect(run.files.openHandles).toBe(0)
    expect(() => run.files.close(handle)).toThrow('EBADF')
  })

  it('stores once, however often it is called', async () => {
    const storage = await storageWith({ log: '1' })
    const run = new Run(storage)
    await run.save('log', 'a', '2')
    const rows = await run.files.finish()
    expect(await run.files.finish()).toBe(rows)
    expect(await textsIn(storage)).toEqual({ log: '12' })
  })
})
