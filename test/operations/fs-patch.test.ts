/** Unified diffs: what they do to files, and that they do all of it or nothing. */
import { describe, expect, it } from 'vitest'
import { SCOPES } from '../../src/caller.ts'
import { applyPatch } from '../../src/operations/files/edit/apply-patch.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import type { PutOptions, StorageDriver } from '../../src/storage/driver.ts'
import { ORIGIN } from '../support/make-app.ts'
import { makeFs } from '../support/make-fs.ts'
import { watchedStorage } from '../support/watched-storage.ts'

const END = '\\ No newline at end of file'

const lines = (...texts: string[]) => texts.map((text) => `${text}\n`).join('')

/** A patch of one file. */
const patchOf = (path: string, ...hunks: string[]) =>
  lines(`--- a/${path}`, `+++ b/${path}`, ...hunks)

/** An app that holds these files of alice. */
async function makeFiles(texts: Record<string, string>, storage?: StorageDriver) {
  const made = await makeFs(storage ? { storage } : {})
  for (const [path, content] of Object.entries(texts)) await made.fs('write', { path, content })
  const files = async () => {
    const stored = Object.entries(await made.stored())
    return Object.fromEntries(stored.map(([key, text]) => [key.replace('users/alice/', ''), text]))
  }
  return { ...made, files }
}

describe('a patch that applies', () => {
  it('changes, creates and deletes files', async () => {
    const { fs, files } = await makeFiles({ 'd/a.txt': lines('1', '2', '3'), 'old.txt': 'x\n' })
    const patch = lines(
      'diff --git a/d/a.txt b/d/a.txt',
      'index 01e79c3..4be8c3c 100644',
      '--- a/d/a.txt',
      '+++ b/d/a.txt',
      '@@ -1,3 +1,4 @@',
      ' 1',
      '-2',
      '+zwei',
      '+2½',
      ' 3',
      'diff --git a/new/n.txt b/new/n.txt',
      'new file mode 100644',
      '--- /dev/null',
      '+++ b/new/n.txt',
      '@@ -0,0 +1,2 @@',
      '+n',
      '+',
      'diff --git a/old.txt b/old.txt',
      'deleted file mode 100644',
      '--- a/old.txt',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
      '-x',
    )
    expect(await fs('patch', { patch })).toEqual({
      files: [
        { path: 'd/a.txt', change: 'changed', bytes: 13 },
        { path: 'new/n.txt', change: 'created', bytes: 3 },
        { path: 'old.txt', change: 'deleted', bytes: 0 },
      ],
    })
    expect(await files()).toEqual({
      'd/a.txt': lines('1', 'zwei', '2½', '3'),
      'new/n.txt': 'n\n\n',
    })
  })

  const before = lines('a', 'b', 'c', 'd', 'e', 'f', 'g')

  it.each([
    ['without prefixes', ['--- f', '+++ f', '@@ -1,2 +1,2 @@', '-a', '+A', ' b'], /^a/, 'A'],
    ['with times', ['--- f\t2026-01-01', '+++ f\t2026-01-02', '@@ -2 +2 @@', '-b', '+B'], /b/, 'B'],
    ['with counts left out', ['--- a/f', '+++ b/f', '@@ -2 +2 @@ section', '-b', '+B'], /b/, 'B'],
    ['that only adds', ['--- a/f', '+++ b/f', '@@ -2,0 +3 @@', '+x'], /b\n/, 'b\nx\n'],
    ['that adds at the beginning', ['--- a/f', '+++ b/f', '@@ -0,0 +1 @@', '+x'], /^/, 'x\n'],
    ['that only removes', ['--- a/f', '+++ b/f', '@@ -3,2 +2,0 @@', '-c', '-d'], /c\nd\n/, ''],
    ['with a wrong line', ['--- a/f', '+++ b/f', '@@ -90,2 +90,2 @@', ' e', '-f', '+F'], /f/, 'F'],
    ['with text around it', ['Hello!', '--- a/f', '+++ b/f', '@@ -7 +7 @@', '-g', '+G'], /g/, 'G'],
    ['with a signature', ['--- f', '+++ f', '@@ -7 +7 @@', '-g', '+G', '-- ', '2.50.1'], /g/, 'G'],
    ['with quotes', ['--- "a/\\146"', '+++ "b/f"', '@@ -7 +7 @@', '-g', '+G'], /g/, 'G'],
    ['with CRLF headers', ['--- a/f\r', '+++ b/f\r', '@@ -7 +7 @@\r', '-g', '+G'], /g/, 'G'],
  ])('is read %s', async (_, patch, old, text) => {
    const { fs, files } = await makeFiles({ f: before })
    await fs('patch', { patch: lines(...patch) })
    expect(await files()).toEqual({ f: before.replace(old, text) })
  })

  it('takes the nearest of several places', async () => {
    const { fs, files } = await makeFiles({ f: lines('x', 'y', 'x', 'y', 'x', 'y') })
    await fs('patch', { patch: patchOf('f', '@@ -4,2 +4,2 @@', ' x', '-y', '+Y') })
    expect(await files()).toEqual({ f: lines('x', 'y', 'x', 'Y', 'x', 'y') })
  })

  it('moves later hunks along with earlier ones', async () => {
    const { fs, files } = await makeFiles({ f: `${lines('new 1', 'new 2')}${before}` })
    const hunks = ['@@ -1,2 +1,2 @@', '-a', '+A', ' b', '@@ -6,2 +6,3 @@', ' f', '+f½', '-g', '+G']
    await fs('patch', { patch: patchOf('f', ...hunks) })
    expect(await files()).toEqual({
      f: lines('new 1', 'new 2', 'A', 'b', 'c', 'd', 'e', 'f', 'f½', 'G'),
    })
  })

  it.each([
    ['keeps a missing line end', 'a\nb', ['-a', '+A', ' b', END], 'A\nb'],
    ['adds one', 'a\nb', [' a', '-b', END, '+b'], 'a\nb\n'],
    ['takes one away', 'a\nb\n', [' a', '-b', '+b', END], 'a\nb'],
    ['keeps carriage returns', 'a\r\nb\r\n', ['-a\r', '+A\r', ' b\r'], 'A\r\nb\r\n'],
    ['takes an empty line for an empty one', '\na\n', ['', '-a', '+A'], '\nA\n'],
    ['changes lines that look like headers', '-- x\na\n', ['--- x', '+++ x', ' a'], '++ x\na\n'],
  ])('%s', async (_, content, hunk, after) => {
    const { fs, files } = await makeFiles({ f: content })
    await fs('patch', { patch: patchOf('f', '@@ -1,2 +1,2 @@', ...hunk) })
    expect(await files()).toEqual({ f: after })
  })

  it('reads names that git quotes', async () => {
    const { fs, files } = await makeFiles({})
    const patch = lines('--- /dev/null', '+++ "b/\\303\\251 \\"x\\".txt"', '@@ -0,0 +1 @@', '+x')
    await fs('patch', { patch })
    expect(await files()).toEqual({ 'é "x".txt': 'x\n' })
  })

  it('may touch one file twice', async () => {
    const { fs, files } = await makeFiles({ f: before })
    const part = (from: string, to: string) => patchOf('f', '@@ -1 +1 @@', from, to)
    await fs('patch', { patch: part('-a', '+A') + part('-A', '+AA') })
    expect(await files()).toEqual({ f: before.replace('a', 'AA') })
  })

  it('may end without a line end', async () => {
    const { fs, files } = await makeFiles({ f: 'a\n' })
    await fs('patch', { patch: '--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b' })
    expect(await files()).toEqual({ f: 'b\n' })
  })
})

const misfit = (hunk: number, path: string) =>
  `409 Hunk ${hunk} of "${path}" does not apply: its old lines are not in the file. Nothing was changed. Read the file and create the patch again.`

describe('a patch that does not apply changes nothing', () => {
  const good = patchOf('good', '@@ -1 +1 @@', '-1', '+one')
  const texts = { good: '1\n', f: lines('a', 'b', 'c'), open: 'a' }

  async function assertRefused(patch: string, refusal: string): Promise<void> {
    const { refusal: refusalOf, files } = await makeFiles(texts)
    const [status, message] = await refusalOf('patch', { patch: good + patch })
    expect(`${status} ${message}`).toBe(refusal)
    expect(await files()).toEqual(texts)
  }

  it.each<[string, number, string[]]>([
    ['other lines', 2, ['@@ -1 +1 @@', '-a', '+A', '@@ -3 +3 @@', '-x', '+y']],
    ['other blanks', 1, ['@@ -1 +1 @@', '-a ', '+A']],
    ['hunks in the wrong order', 2, ['@@ -3 +3 @@', '-c', '+C', '@@ -1 +1 @@', '-a', '+A']],
    ['an addition beyond the end', 1, ['@@ -9,0 +10 @@', '+x']],
    ['an addition far beyond the end', 1, ['@@ -4294967295,0 +1 @@', '+x']],
    ['the same hunk twice', 2, Array<string>(2).fill('@@ -1 +1 @@\n-a\n+A')],
    [
      'an addition before the hunk before it',
      2,
      ['@@ -90 +90 @@', '-c', '+C', '@@ -50,0 +50 @@', '+x'],
    ],
    ['an empty line behind the last', 1, ['@@ -3,2 +3 @@', ' c', '-']],
    ['a line without an end before others', 1, ['@@ -2 +2 @@', '-b', '+B', END]],
  ])('because %s do not fit', async (_, hunk, hunks) => {
    await assertRefused(patchOf('f', ...hunks), misfit(hunk, 'f'))
  })

  const COUNT =
    '422 patch: cannot be used, because the hunk at line 8 does not have as many lines as its "@@" line says.'

  it.each(
    Object.entries({
      'an addition behind a line without an end': [
        patchOf('open', '@@ -1,0 +2 @@', '+x'),
        misfit(1, 'open'),
      ],
      'a missing file': [
        patchOf('none', '@@ -1 +1 @@', '-a', '+A'),
        '404 There is no file "none" to patch. Nothing was changed.',
      ],
      'a file that exists': [
        lines('--- /dev/null', '+++ b/f', '@@ -0,0 +1 @@', '+A'),
        '409 "f" already exists, but the patch creates it. Nothing was changed.',
      ],
      'a deletion of less than all': [
        lines('--- a/f', '+++ /dev/null', '@@ -1 +0,0 @@', '-a'),
        '409 The patch deletes "f", but does not have all of its lines. Nothing was changed.',
      ],
      'a file below a file': [
        lines('--- /dev/null', '+++ b/f/x', '@@ -0,0 +1 @@', '+A'),
        '409 "f" is a file, so nothing can be put below it. Choose another path. Nothing was changed.',
      ],
      'a bad path': [
        patchOf('../f', '@@ -1 +1 @@', '-a', '+A'),
        "400 path cannot contain '..' traversal",
      ],
      'a rename': [
        lines('--- a/f', '+++ b/g', '@@ -1 +1 @@', '-a', '+A'),
        '422 patch: renames "f" to "g", which is not supported. Create the new file and delete the old one.',
      ],
      'a wrong count': [patchOf('f', '@@ -1,2 +1,2 @@', '-a', '+A'), COUNT],
      'lines that its count leaves out': [patchOf('f', '@@ -1 +1 @@', '-a', '+A', '+B'), COUNT],
      'a last hunk that is cut off': ['--- a/f\n+++ b/f\n@@ -1 +1 @@\n+A', COUNT],
      'no line numbers': [
        patchOf('f', '@@ here @@', '-a', '+A'),
        '422 patch: cannot be used, because an "@@" line of it has no line numbers.',
      ],
      'no hunk': [patchOf('f'), '422 patch: cannot be used, because "f" has no hunks.'],
      'a binary part': [
        'Binary files a/f and b/f differ\n',
        '422 patch: cannot be used, because it has a binary part.',
      ],
    }),
  )('because of %s', async (_, [patch, refusal]) => {
    await assertRefused(patch!, refusal!)
  })

  it.each([
    ['', 'it names no file with "---" and "+++" lines'],
    ['hello', 'it names no file with "---" and "+++" lines'],
    ['@@ -1 +1 @@\n-a\n+b\n', 'a part of it has no "---" and "+++" lines'],
    ['--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n', 'a part of it names no file'],
    ['diff --git a/f b/f\nold mode 1\n', '"f" has no hunks'],
    ['--- a/f\n@@ -1 +1 @@\n-a\n+b\n', 'a part of it has only one of the "---" and "+++" lines'],
  ])('when it is %j', async (patch, reason) => {
    const { refusal } = await makeFiles({ f: 'a\n' })
    const message = `patch: cannot be used, because ${reason}.`
    expect(await refusal('patch', { patch })).toEqual([422, message])
  })

  it('when it has more than 100 files', async () => {
    const { refusal, files } = await makeFiles({})
    const part = lines('--- /dev/null', '+++ b/f', '@@ -0,0 +1 @@', '+x')
    const message = 'patch: cannot be used, because it has more than 100 files.'
    expect(await refusal('patch', { patch: part.repeat(101) })).toEqual([422, message])
    expect(await files()).toEqual({})
  })

  it('because the files are too large together', async () => {
    const { refusal, stored, fs } = await makeFs({ env: { MAX_FILE_SIZE: '10' } })
    for (const path of ['a', 'b']) await fs('write', { path, content: '1\n345678' })
    const part = (path: string) => patchOf(path, '@@ -1 +1 @@', '-1', '+2')
    expect(await refusal('patch', { patch: part('a') + part('b') })).toEqual([
      413,
      'The files of the patch have more than 10 bytes in all. Send it in parts.',
    ])
    expect(await stored()).toEqual({ 'users/alice/a': '1\n345678', 'users/alice/b': '1\n345678' })
  })

  it('however often its lines are looked for', async () => {
    const { refusal } = await makeFiles({ f: '\n'.repeat(100_000) })
    const hunk = ['@@ -1,1000 +1,1000 @@', ...Array<string>(999).fill(' '), '-x', '+y']
    expect((await refusal('patch', { patch: patchOf('f', ...hunk) }))[0]).toBe(409)
  })
})

describe('a patch that others come in between of', () => {
  const patch =
    patchOf('a', '@@ -1 +1 @@', '-1', '+one') +
    lines('--- /dev/null', '+++ b/b', '@@ -0,0 +1 @@', '+new') +
    lines('--- a/c', '+++ /dev/null', '@@ -1 +0,0 @@', '-3') +
    patchOf('d', '@@ -1 +1 @@', '-4', '+four')

  /** Somebody changes the files named just before the patch stores the last one. */
  async function meet(...changed: string[]) {
    const inner = memoryStorage()
    let isArmed = false
    const storage = watchedStorage(inner, async (request, key) => {
      if (!isArmed || request !== 'put' || !key.endsWith('/d')) return
      isArmed = false
      for (const path of changed) {
        await inner.put(key.replace(/d$/, path), new TextEncoder().encode('theirs'))
      }
    })
    const made = await makeFiles({ a: '1\n', c: '3\n', d: '4\n' }, storage)
    isArmed = true
    return { told: await made.refusal('patch', { patch }), files: await made.files() }
  }

  it('is undone', async () => {
    expect(await meet('d')).toEqual({
      told: [
        409,
        '"d" was changed meanwhile. Read it again and repeat the change. Nothing was changed.',
      ],
      files: { a: '1\n', c: '3\n', d: 'theirs' },
    })
  })

  it('is undone as far as nobody else changed what it had stored, and tells the rest', async () => {
    expect(await meet('a', 'b', 'd')).toEqual({
      told: [
        409,
        '"d" was changed meanwhile. Read it again and repeat the change. These files were changed already and could not be put back: "b", "a".',
      ],
      files: { a: 'theirs', b: 'theirs', c: '3\n', d: 'theirs' },
    })
  })
})

describe('a patch that is cut off', () => {
  const hunk = ['@@ -1 +1 @@', '-old', '+new']
  const patch = patchOf('a', ...hunk) + patchOf('b', ...hunk)

  /** Applies the patch; `meet` sees each write of it before the store does. */
  async function cutOff(
    meet: (path: string, leave: () => void) => Promise<void>,
    { env, after }: { env?: Record<string, string>; after?: (path: string) => Promise<void> } = {},
  ) {
    const leaving = new AbortController()
    let isArmed = false
    const storage = watchedStorage(
      memoryStorage(),
      async (request, key, _body, options?: PutOptions) => {
        if (!isArmed || request !== 'put') return
        await meet(key.slice(-1), () => leaving.abort())
        options?.signal?.throwIfAborted()
      },
      (request, key) => (isArmed && request === 'put' ? after?.(key.slice(-1)) : undefined),
    )
    const made = await makeFs({ storage, ...(env && { env }) })
    for (const path of ['a', 'b']) await made.fs('write', { path, content: 'old\n' })
    isArmed = true
    const { service, tenant } = made
    const caller = { tenant, user: 'alice', isCompanion: false, scopes: new Set(SCOPES) }
    const ctx = { service, caller, requestId: 'r', baseUrl: ORIGIN, signal: leaving.signal }
    const told = await applyPatch.run(ctx, { patch }).then(
      ({ files }) => files.length,
      (error: Error) => error.message,
    )
    const texts = Object.values(await made.stored())
    return { told, texts }
  }

  const never = () => new Promise<never>(() => {})
  const slow = 'This took longer than a request may take. Try again, or ask for less at once.'
  const down = 'The store cannot be reached right now. Try again shortly.'

  it.each(['a', 'b'])('goes on when its caller leaves while %s is written', async (path) => {
    const met = await cutOff(async (at, leave) => {
      if (at === path) leave()
    })
    expect(met).toEqual({ told: 2, texts: ['new\n', 'new\n'] })
  })

  it('is undone after its time is over, and says which file is not certain', async () => {
    const met = await cutOff((path) => (path === 'b' ? never() : Promise.resolve()), {
      env: { TIMEOUT_MS: '500' },
    })
    expect(met).toEqual({
      told: `${slow} It is not known whether this file was changed: "b".`,
      texts: ['old\n', 'old\n'],
    })
  })

  it('says so too of the first file', async () => {
    const met = await cutOff(() => Promise.reject(new Error('the store is down')))
    expect(met).toEqual({
      told: `${down} It is not known whether this file was changed: "a".`,
      texts: ['old\n', 'old\n'],
    })
  })

  it('knows a write that got through although the answer came too late', async () => {
    const met = await cutOff(() => Promise.resolve(), {
      env: { TIMEOUT_MS: '500' },
      after: (path) => (path === 'b' ? never() : Promise.resolve()),
    })
    expect(met).toEqual({ told: 2, texts: ['new\n', 'new\n'] })
  })
})
