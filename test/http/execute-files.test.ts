/** What a run tells of its files, results that become files, and what tokens allow. */
import { describe, expect, it } from 'vitest'
import { failingStorage } from '../support/failing-storage.ts'
import { LINKED } from '../support/linked.ts'
import { makeApp, runtimeStorage, type Claims, type Row } from '../support/make-app.ts'

const INLINE_BYTES = 262_144

const READS = ['io.open("a")', 'io.open("a", "r+")', 'io.lines("a")', 'io.list()']
const CHANGES = [
  'io.open("a", "w")',
  'io.open("a", "a")',
  'io.open("a", "r+")',
  'file.save("a", "x")',
  'os.remove("a")',
  'os.rename("a", "b")',
]

function shortly(rows: readonly Row[]): string[] {
  return rows.map(({ name, op, bytes }) => `${op} ${name} ${bytes}`)
}

describe('files_touched', () => {
  it.each([
    ['file.save("new", "abc")', ['write new 3']],
    ['io.open("new", "w")', ['write new 0']],
    ['io.open("new", "a"):write("abc")', ['write new 3']],
    ['io.open("old", "a"):write("abc")', ['append old 6']],
    ['io.open("old", "a+"):write("abc")', ['append old 6']],
    ['io.open("old", "w"):write("a")', ['write old 1']],
    ['io.open("old", "w+")', ['write old 0']],
    ['io.open("old", "r+"):write("a")', ['write old 3']],
    ['io.open("old", "a"):write("x"):close() io.open("old", "w")', ['write old 0']],
    ['io.open("old"):read("a")', []],
    ['io.open("old", "r+"):read("a")', []],
    ['io.open("missing")', []],
    ['os.remove("old")', ['remove old 0']],
    ['os.remove("missing")', []],
    ['file.save("new", "abc") os.remove("new")', ['remove new 0']],
    ['os.remove("old") file.save("old", "a")', ['write old 1']],
    ['os.rename("old", "moved")', ['write moved 3', 'remove old 0']],
    ['file.save("./a//b/./c", "x") file.save("a/b/c", "xy")', ['write a/b/c 2']],
    ['file.save("Share/x", "1")', ['write share/x 1']],
    ['file.save("SHARE/x", "1") file.save("share/x", "12")', ['write share/x 2']],
    [
      'for _, name in ipairs{"b", "a/c", "ä", "Z", "a-"} do file.save(name, "") end',
      ['write Z 0', 'write a- 0', 'write a/c 0', 'write b 0', 'write ä 0'],
    ],
  ])('%s', async (script, rows) => {
    const { run } = await makeApp()
    await run('file.save("old", "old")')
    const { files_touched, error } = await run(script)
    expect(error).toBeUndefined()
    expect(shortly(files_touched)).toEqual(rows)
  })

  it('tells the size of the whole object, also of what others appended', async () => {
    const { run } = await makeApp()
    await run('file.save("share/log", "12345")', {}, { sub: 'bob' })
    const { files_touched } = await run('io.open("share/log", "a"):write("678")')
    expect(shortly(files_touched)).toEqual(['append share/log 8'])
  })

  it('has links for what can be opened only', async () => {
    const { run } = await makeApp()
    const { files_touched } = await run('file.save("a", "1") file.save("b", "2") os.remove("b")')
    expect(files_touched).toEqual([
      { name: 'a', op: 'write', bytes: 1, ...LINKED },
      { name: 'b', op: 'remove', bytes: 0 },
    ])
  })

  it('has the url of the store where it can presign, but not for what browsers run', async () => {
    const plain = await makeApp()
    const expiresAt = new Date('2026-11-16T10:00:00Z')
    const presignGet = async (key: string) => {
      return { url: `https://store/${key}`, expiresAt, headers: {} }
    }
    const { run, tenant } = await makeApp({ storage: { ...plain.storage, presignGet } })
    const { files_touched } = await run('file.save("a.csv", "1") file.save("b.html", "2")')
    const [csv, html] = files_touched
    expect(csv).toMatchObject({
      url: `https://store/${tenant}/users/alice/a.csv`,
      url_expires_at: '2026-11-16T10:00:00Z',
    })
    expect(csv!.link).toMatch(/^https:\/\/moonbucket\.test\/files\/out\?path=a\.csv&token=/)
    expect([html!.url, html!.url_expires_at]).toEqual([html!.link, html!.expires_at])
  })
})

describe('a large result', () => {
  it(`of ${INLINE_BYTES} bytes is still in the answer`, async () => {
    const { run } = await makeApp()
    const answer = await run(`return string.rep("x", ${INLINE_BYTES - 2})`)
    expect(answer).toEqual({ result: 'x'.repeat(INLINE_BYTES - 2), logs: [], files_touched: [] })
  })

  it('with one more byte is a file, and its first 2,000 characters are in the answer', async () => {
    const { app, run } = await makeApp()
    const answer = await run(`return string.rep("x", ${INLINE_BYTES - 1})`)
    const name = answer.result_file!
    expect(name).toMatch(/^output\/result_[0-9a-f]{12}\.json$/)
    expect(Object.keys(answer)).toEqual(['result', 'result_file', 'logs', 'files_touched'])
    expect(answer.result).toBe(`"${'x'.repeat(1999)}`)
    expect(shortly(answer.files_touched)).toEqual([`write ${name} ${INLINE_BYTES + 1}`])
    const whole = await (await app.request(answer.files_touched[0]!.link!)).json()
    expect(whole).toBe('x'.repeat(INLINE_BYTES - 1))
  })

  it('is counted in bytes and cut between characters', async () => {
    const { run } = await makeApp()
    const answer = await run('return string.rep("😀", 70000)')
    expect(answer.result).toBe(`"${'😀'.repeat(1999)}`)
    expect(shortly(answer.files_touched)).toEqual([`write ${answer.result_file} 280002`])
  })

  it.each([
    ['this run may not write files', { scope: 'execute files:read' }],
    ['this run may not write files', { scope: 'execute' }],
    ['path is not allowed', { paths: ['data'] }],
  ])('that cannot be kept has kind result: %s, %j', async (reason, claims) => {
    const { run } = await makeApp()
    expect(await run('print("made") return string.rep("x", 300000)', {}, claims)).toEqual({
      result: `"${'x'.repeat(1999)}`,
      logs: ['made'],
      files_touched: [],
      error: {
        kind: 'result',
        message: `the result has 300002 bytes, more than the 262144 that an answer may have, and cannot be kept as a file: ${reason}`,
      },
    })
  })

  it('whose file the store does not take has kind storage and its beginning', async () => {
    const { run } = await makeApp({ storage: failingStorage(await runtimeStorage(), ['put']) })
    const { result, result_file, files_touched, error } = await run('return ("x"):rep(300000)')
    expect(result).toBe(`"${'x'.repeat(1999)}`)
    expect(files_touched).toEqual([
      { name: result_file, op: 'write', bytes: 300_002, stored: false },
    ])
    expect(error).toEqual({
      kind: 'storage',
      message: `not everything was stored; not accepted by the store: ${result_file}`,
    })
  })

  it('has kind result when the run has no room for it', async () => {
    const { run } = await makeApp({ limits: { residentBytes: 100_000 } })
    const { error } = await run('return string.rep("x", 300000)')
    expect(error).toMatchObject({
      kind: 'result',
      message: expect.stringContaining('no room left'),
    })
  })
})

const READER = { scope: 'execute files:read' }
const WRITER = { scope: 'execute files:write' }

it.each<[Claims, string, string[]]>([
  [READER, 'files cannot be changed: scope files:write is missing', CHANGES],
  [WRITER, 'files cannot be read: scope files:read is missing', READS],
])('a token with %j raises: %s', async (claims, message, calls) => {
  const { run, stored } = await makeApp()
  await run('file.save("a", "kept")')
  for (const call of calls) {
    const { error, files_touched } = await run(call, {}, claims)
    expect([call, error]).toMatchObject([
      call,
      { kind: 'runtime', message: `script:1: ${message}` },
    ])
    expect(files_touched).toEqual([])
  }
  expect(await stored()).toEqual({ 'users/alice/a': 'kept' })
})

it('a token with files:read only can read and list', async () => {
  const { run } = await makeApp()
  await run('file.save("a", "kept")')
  const { result } = await run('return {io.open("a"):read("a"), io.list()[1]}', {}, READER)
  expect(result).toEqual(['kept', 'a'])
})

it('a token with files:write only can write and remove', async () => {
  const { run } = await makeApp()
  const script = 'io.open("a", "w"):write("x"):close() file.save("b", "") os.remove("b")'
  const { files_touched, error } = await run(script, {}, WRITER)
  expect(error).toBeUndefined()
  expect(shortly(files_touched)).toEqual(['write a 1', 'remove b 0'])
})

it('a token with neither has no io, file, os.remove and os.rename, and everything else', async () => {
  const { run } = await makeApp()
  const script = `
    print("still here")
    return {tostring(io), tostring(file), tostring(os.remove), tostring(os.rename), type(os.time())}`
  expect(await run(script, {}, { scope: 'execute' })).toEqual({
    result: ['nil', 'nil', 'nil', 'nil', 'number'],
    logs: ['still here'],
    files_touched: [],
  })
})
