/**
 * Upload links in browsers: the page, its form without scripts, and errors that people can read.
 */
import { describe, expect, it } from 'vitest'
import { createApp } from '../../src/app.ts'
import { refusalOf } from '../support/call-route.ts'
import { makeApp, ORIGIN } from '../support/make-app.ts'
import { dropLinkFor, formOf, postForm, putFile } from '../support/upload-link.ts'

type Made = Awaited<ReturnType<typeof makeApp>>

const PERSON = { headers: { Accept: 'text/html,*/*' } }
const NOW = () => new Date('2026-11-16T10:00:00Z')

async function filesOf({ stored }: Pick<Made, 'stored'>) {
  const all = Object.entries(await stored())
  return Object.fromEntries(all.filter(([key]) => !key.startsWith('used-links/')))
}

/** What a person reads. */
const textOf = (html: string) =>
  html
    .slice(html.indexOf('<main>'))
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

async function pageOf(response: Response) {
  return { status: response.status, text: textOf(await response.text()) }
}

describe('the page of an upload link', () => {
  it('says what it takes, and runs nothing but its own script', async () => {
    const made = await makeApp({ now: NOW })
    const url = await dropLinkFor(made, { path: 'a/<b>/', max_files: 3, max_bytes: 5_000_000 })
    const response = await made.app.request(url, PERSON)
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-cache',
    })
    const html = await response.text()
    expect(textOf(html)).toContain(
      'They are stored in &#60;b&#62; : up to 3 files, 5.0 MB in all, until 2026-11-17 10:00 UTC.',
    )
    expect(html.match(/<script[^>]*>/g)).toEqual(['<script src="/assets/drop.js" defer>'])
    // The form goes to the page's own address: the token is not in the page.
    expect(html).not.toContain('token')
    expect(await filesOf(made)).toEqual({})
  })

  it('for one file has room for one, of its type', async () => {
    const made = await makeApp({ now: NOW })
    const url = await dropLinkFor(made, { path: 'in/rows.csv', content_type: 'text/csv' })
    const html = await (await made.app.request(url, PERSON)).text()
    expect(html).toContain('accept="text/csv"')
    expect(html).not.toContain('multiple')
    expect(textOf(html)).toContain(
      'It is stored as rows.csv : up to 52 MB , of type text/csv, once',
    )
  })

  it('says when the link was used, has ended or is forged', async () => {
    let now = NOW()
    const made = await makeApp({ now: () => now })
    const url = await dropLinkFor(made, { path: 'a' })
    await putFile(made, url, 'a', 'x')
    expect(await pageOf(await made.app.request(url, PERSON))).toEqual({
      status: 409,
      text: expect.stringContaining('This link has been used: it accepts one upload.') as string,
    })
    const forged = await made.app.request(`${ORIGIN}/files/in?path=b/&token=forged`, PERSON)
    expect(await pageOf(forged)).toMatchObject({ status: 403 })
    now = new Date('2026-11-18T10:00:00Z')
    expect(await pageOf(await made.app.request(url, PERSON))).toEqual({
      status: 403,
      text: expect.stringContaining('This link has expired.') as string,
    })
  })

  it('is not there for programs', async () => {
    const made = await makeApp()
    const url = await dropLinkFor(made)
    expect(await refusalOf(await made.app.request(url))).toBe(
      '404 not_found: There is nothing at this address.',
    )
  })
})

describe('a form without scripts', () => {
  it('stores several files, each from its own part', async () => {
    const made = await makeApp()
    const url = await dropLinkFor(made)
    const form = formOf([
      ['a.txt', 'one'],
      ['C:\\fakepath\\été.csv', 'a,b\r\n--1'],
      ['empty', ''],
      ['', ''],
    ])
    expect(await pageOf(await postForm(made, url, form))).toEqual({
      status: 201,
      text: 'Sent a.txt 3 bytes stored été.csv 8 bytes stored empty 0 bytes stored Send more',
    })
    expect(await filesOf(made)).toEqual({
      'users/alice/inbox/a.txt': 'one',
      'users/alice/inbox/été.csv': 'a,b\r\n--1',
      'users/alice/inbox/empty': '',
    })
  })

  it('says which files were not stored, and why', async () => {
    const made = await makeApp()
    const url = await dropLinkFor(made, { max_bytes: 5 })
    const form = formOf([
      ['..', 'x'],
      ['a', '123'],
      ['<b>', '123'],
    ])
    expect(await pageOf(await postForm(made, url, form))).toEqual({
      status: 400,
      text: 'Partly sent .. The file cannot have this name: path cannot contain &#39;..&#39; traversal. a 3 bytes stored &#60;b&#62; This link accepts 5 bytes in all. This file is too large for what is left of them. Send more',
    })
  })

  it('uses up a link for one file, and only one', async () => {
    const made = await makeApp()
    const url = await dropLinkFor(made, { path: 'in/x.bin' })
    const form = formOf([
      ['any name', '123'],
      ['another', '123'],
    ])
    expect(await pageOf(await postForm(made, url, form))).toMatchObject({
      status: 409,
      text: expect.stringMatching(
        /^Partly sent x.bin 3 bytes stored another This link has been used/,
      ) as string,
    })
    expect(await filesOf(made)).toEqual({ 'users/alice/in/x.bin': '123' })
  })

  it('streams a large last file, and refuses a large one before others', async () => {
    const made = await makeApp()
    const url = await dropLinkFor(made)
    const large = 'x'.repeat(9 * 1024 * 1024)
    const form = (last: readonly (readonly [string, string])[]) =>
      formOf([['small', 'x'], ['large', large], ...last])
    expect((await postForm(made, url, form([]))).status).toBe(201)
    expect((await filesOf(made))['users/alice/inbox/large']).toHaveLength(large.length)
    expect(await pageOf(await postForm(made, url, form([['more', 'x']])))).toMatchObject({
      status: 413,
      text: expect.stringContaining('send a file over 8 MiB by itself') as string,
    })
    expect(Object.keys(await filesOf(made))).not.toContain('users/alice/inbox/large (2)')
  })

  it('may come from a program, which gets JSON', async () => {
    const made = await makeApp()
    const url = await dropLinkFor(made, { max_files: 1 })
    const form = formOf([
      ['a', '1'],
      ['b', '2'],
    ])
    const response = await postForm(made, url, form, {})
    expect([response.status, await response.json()]).toEqual([
      409,
      {
        files: [{ path: 'inbox/a', bytes: 1 }],
        errors: [
          {
            name: 'b',
            code: 'conflict',
            message: 'This link has received the one file that it accepts.',
          },
        ],
      },
    ])
    expect((await postForm(made, url, formOf([['c', '']]), {})).status).toBe(409)
  })

  it.each([
    ['without a file', formOf([['', '']]), 'No file was chosen.'],
    ['that is cut', formOf([['a', 'x']]).slice(0, -9), 'The form did not arrive whole.'],
    ['that is none', 'file=x', 'The form did not arrive whole.'],
  ])('%s is refused', async (_, form, message) => {
    const made = await makeApp()
    const url = await dropLinkFor(made)
    expect(await pageOf(await postForm(made, url, form))).toEqual({
      status: 400,
      text: expect.stringContaining(message) as string,
    })
    expect(await filesOf(made)).toEqual({})
  })

  it('of another type is refused', async () => {
    const made = await makeApp()
    const url = await dropLinkFor(made)
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    expect((await postForm(made, url, 'file=x', headers)).status).toBe(400)
  })

  it('is limited where bodies are', async () => {
    const made = await makeApp()
    const url = await dropLinkFor(made)
    const app = createApp({ service: { ...made.service, maxFormBytes: 300 } })
    expect((await postForm({ app }, url, formOf([['a', 'x']]))).status).toBe(201)
    expect(await pageOf(await postForm({ app }, url, formOf([['a', 'x'.repeat(300)]])))).toEqual({
      status: 413,
      text: expect.stringContaining('at most 300 bytes can be sent at once') as string,
    })
  })
})
