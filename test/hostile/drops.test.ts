/** Whoever holds an upload link to a folder adds new files to it, and can do nothing else. */
import { describe, expect, it } from 'vitest'
import { makeApp, ORIGIN } from '../support/make-app.ts'
import { onePer } from '../support/tier.ts'
import { BAD_PATHS } from '../support/bad-paths.ts'
import { dropLinkFor, formOf, postForm, putFile } from '../support/upload-link.ts'

const OWN = /^(?:users\/alice\/inbox\/[^/]+|used-links\/[^/]+\/.+)$/

async function keysOf({ stored }: { stored(): Promise<Record<string, string>> }) {
  return Object.keys(await stored())
}

describe('a name of a dropped file', () => {
  it('never leads out of its folder, by PUT or in a form', async () => {
    const made = await makeApp()
    const url = await dropLinkFor(made)
    const names = [
      ...onePer(BAD_PATHS, ([, message]) => message).map(([path]) => path),
      '../../users/bob/x',
      '..\\..\\x',
      '%2e%2e%2fx',
      '.moonbucket',
      'x\u202e/../y',
      '__proto__',
      'share',
    ]
    for (const name of names) {
      const quoted = name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
      const { status: put } = await putFile(made, url, name, 'x')
      const { status: posted } = await postForm(made, url, formOf([[quoted, 'x']]))
      const isExpected = [put, posted].every((status) => status === 201 || status === 400)
      expect([name.slice(0, 80), isExpected]).toEqual([name.slice(0, 80), true])
    }
    expect((await keysOf(made)).filter((key) => !OWN.test(key))).toEqual([])
  })

  it('never replaces, hides or opens what is there', async () => {
    const made = await makeApp()
    await made.run('file.save("inbox/secret.txt", "old") file.save("inbox/sub/x", "old")')
    const url = await dropLinkFor(made)
    for (const name of ['secret.txt', 'sub', 'sub/x', 'SECRET.txt', 'secret.txt ']) {
      await putFile(made, url, name, 'new')
    }
    const stored = await made.stored()
    expect([stored['users/alice/inbox/secret.txt'], stored['users/alice/inbox/sub/x']]).toEqual([
      'old',
      'old',
    ])
    const token = new URL(url).searchParams.get('token')!
    for (const address of [
      `/files/out?path=inbox/&token=${token}`,
      `/files/out?path=inbox/secret.txt&token=${token}`,
      `/files/in?path=inbox&token=${token}`,
      `/files/in?path=inbox/secret.txt&token=${token}`,
      `/files/in?path=./&token=${token}`,
      `/files/in?path=inbox/sub/&token=${token}`,
    ]) {
      const init = address.startsWith('/files/in') ? { method: 'PUT', body: 'x' } : {}
      const response = await made.app.request(`${ORIGIN}${address}&name=a`, init)
      expect([address, response.status]).toEqual([address, 403])
    }
    const page = await made.app.request(url, { headers: { Accept: 'text/html' } })
    expect(await page.text()).not.toContain('secret')
  })
})

describe('a link to one file', () => {
  it('is none to the folder of that name, nor the other way round', async () => {
    const made = await makeApp()
    const file = new URL(await dropLinkFor(made, { path: 'a' }))
    const token = file.searchParams.get('token')!
    const send = (path: string) =>
      putFile(made, `${ORIGIN}/files/in?path=${path}&token=${token}`, 'x', 'x')
    expect([(await send('a/')).status, (await send('a')).status]).toEqual([403, 201])
  })
})

it('the totals of a link hold, however its holder sends', async () => {
  const made = await makeApp()
  const url = await dropLinkFor(made, { max_files: 3, max_bytes: 30 })
  const id = '&upload=0123456789abcdef0123456789abcdef'
  const sent = await Promise.all([
    ...Array.from({ length: 6 }, () => putFile(made, url, 'same', '1234567890', id)),
    ...Array.from({ length: 6 }, () => putFile(made, url, 'same', '1234567890')),
    postForm(made, url, formOf(Array.from({ length: 8 }, (_, i) => [`f${i}`, '1234567890']))),
  ])
  expect(sent.filter(({ status }) => status >= 500 && status !== 503)).toEqual([])
  const files = (await keysOf(made)).filter((key) => key.includes('/inbox/'))
  expect(files.length).toBeLessThanOrEqual(3)
}, 30_000)

it('a form with countless files is not read to its end', async () => {
  const made = await makeApp()
  const url = await dropLinkFor(made, { max_files: 1 })
  const form = formOf(Array.from({ length: 500 }, (): [string, string] => ['..', 'x']))
  const response = await postForm(made, url, form, {})
  const { errors } = (await response.json()) as { errors: object[] }
  expect(errors).toHaveLength(20)
})
