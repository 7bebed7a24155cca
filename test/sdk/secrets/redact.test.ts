/** Secrets in responses are redacted in any encoding, and nothing else is. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Redactor } from '../../../src/sdk/secrets/redact.ts'

const SECRET = 'k3y+/=with "odd" <chars> & 100%\\'

function redacted(content: string, ...secrets: string[]): string {
  const redactor = new Redactor()
  for (const secret of secrets) redactor.hide(secret)
  const clean = new TextDecoder().decode(redactor.bytes(new TextEncoder().encode(content)))
  expect(redactor.text(content)).toBe(clean)
  return clean
}

const base64 = (text: string) =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''))
const html = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
const escapedAll = (text: string, write: (code: number) => string) =>
  Array.from(text, (letter) => write(letter.charCodeAt(0))).join('')
const hex = (code: number, digits: number) => code.toString(16).padStart(digits, '0')

describe('a secret is found', () => {
  it.each<[string, (secret: string) => string]>([
    ['as it is', (secret) => secret],
    ['in JSON', (secret) => JSON.stringify(secret).slice(1, -1)],
    [
      'in JSON with escaped slashes',
      (secret) => JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
    ],
    [
      'in JSON within JSON',
      (secret) => JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1),
    ],
    [
      'in JSON that escapes for pages',
      (secret) =>
        JSON.stringify(secret)
          .slice(1, -1)
          .replace(/[+<>&'"/]/g, (letter) => `\\u${hex(letter.charCodeAt(0), 4).toUpperCase()}`),
    ],
    [
      'with every character escaped for JSON',
      (secret) => escapedAll(secret, (code) => `\\u${hex(code, 4)}`),
    ],
    ['in an address', encodeURIComponent],
    [
      'in an address, in lower case',
      (secret) => encodeURIComponent(secret).replace(/%../g, (pair) => pair.toLowerCase()),
    ],
    [
      'with every character escaped for an address',
      (secret) => escapedAll(secret, (code) => `%${hex(code, 2)}`),
    ],
    ['in an address within an address', (secret) => encodeURIComponent(encodeURIComponent(secret))],
    ['in a form', (secret) => new URLSearchParams([['', secret]]).toString().slice(1)],
    ['in a page', html],
    ['in a page, by decimal numbers', (secret) => escapedAll(secret, (code) => `&#${code};`)],
    [
      'in a page, by hexadecimal numbers',
      (secret) => escapedAll(secret, (code) => `&#x${hex(code, 2)};`),
    ],
    ['in base64', base64],
    [
      'in base64 for addresses',
      (secret) => base64(secret).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
    ],
    ['in UTF-16', (secret) => secret.split('').join('\0')],
    ['in an escaped base64', (secret) => encodeURIComponent(base64(secret))],
  ])('%s', (_, write) => {
    const text = redacted(`before ${write(SECRET)} after`, SECRET)
    expect(text).toMatch(/^before \[redacted\][+=%3D]* after$/)
  })

  it.each(['', 'a', 'ab', 'user:', 'Bearer '])('in base64 of a longer text, after %j', (before) => {
    const secret = 'an-ordinary-secret-0123456789'
    const text = base64(`${before}${secret} and so on`)
    expect(text).not.toContain(secret)
    const clean = redacted(`{"seen":"${text}"}`, secret)
    expect(clean).toContain('[redacted]')
    const rest = JSON.parse(clean) as { seen: string }
    const left = rest.seen.split('[redacted]').map((part) => part.length)
    // What is left of it is what shares a letter with its neighbours.
    expect(left[0]! + left[1]!).toBeLessThan(text.length - (secret.length * 4) / 3 + 3)
  })

  it('with non-ASCII letters', () => {
    const secret = 'pässwörd-ñ'
    const ascii = secret.replace(/[^\0-\x7f]/g, (letter) => `\\u${hex(letter.charCodeAt(0), 4)}`)
    expect(redacted(`${secret} ${ascii} ${encodeURIComponent(secret)}`, secret)).toBe(
      '[redacted] [redacted] [redacted]',
    )
  })

  it('at the beginning, the end, twice in a row, and alone', () => {
    expect(redacted('topsecret', 'topsecret')).toBe('[redacted]')
    expect(redacted('topsecret-topsecret', 'topsecret')).toBe('[redacted]-[redacted]')
    expect(redacted('topsecrettopsecret', 'topsecret')).toBe('[redacted]')
    expect(redacted('tops topsecre', 'topsecret')).toBe('tops topsecre')
    expect(redacted('ttopsecret', 'topsecret')).toBe('t[redacted]')
  })

  it('that overlaps with its own beginning', () => {
    expect(redacted('abababababac', 'ababababac')).toBe('ab[redacted]')
  })
})

describe('for any secret', () => {
  const letters = 'abcXYZ0189+/=_-.~:%& \\\\'.split('')
  const secrets = fc.string({ unit: fc.constantFrom(...letters), minLength: 8, maxLength: 60 })
  const around = fc.string({ unit: fc.constantFrom(...letters, '"', '\\n', 'ä'), maxLength: 20 })
  const spellings: ((text: string) => string)[] = [
    (text) => text,
    (text) => JSON.stringify(text).slice(1, -1),
    encodeURIComponent,
    html,
    (text) => JSON.stringify(encodeURIComponent(text)).slice(1, -1),
  ]

  it('nothing of it is left, in any encoding', () => {
    fc.assert(
      fc.property(secrets, around, around, fc.constantFrom(...spellings), (secret, a, b, write) => {
        expect(redacted(write(a + secret + b), secret)).not.toContain(write(secret))
      }),
      { numRuns: 1000 },
    )
  })

  it('JSON stays JSON', () => {
    const words = secrets.filter((secret) => !/^[\d.+-]+$/.test(secret))
    fc.assert(
      fc.property(words, around, fc.jsonValue(), fc.integer(), (secret, a, value, n) => {
        const json = JSON.stringify({ [a + secret]: [secret, value, n, `${a}${secret}${a}`] })
        const clean = redacted(json, secret)
        expect(() => JSON.parse(clean) as unknown).not.toThrow()
        expect(JSON.stringify(JSON.parse(clean))).not.toContain(JSON.stringify(secret).slice(1, -1))
      }),
      { numRuns: 1000 },
    )
  })
})

describe('several secrets', () => {
  it('may overlap', () => {
    expect(redacted('xx0123456789abcdefgh!', '0123456789', '56789abcdefgh')).toBe('xx[redacted]!')
  })

  it('may contain each other', () => {
    expect(redacted('a Bearer 0123456789 b 0123456789', '0123456789', 'Bearer 0123456789')).toBe(
      'a [redacted] b 9999999999',
    )
    expect(redacted('key-abcdefgh-tail', 'abcdefgh', 'key-abcdefgh-tail')).toBe('[redacted]')
  })

  it('can be added later', () => {
    const redactor = new Redactor()
    redactor.hide('first-secret')
    expect(redactor.text('first-secret second-secret')).toBe('[redacted] second-secret')
    redactor.hide('second-secret')
    expect(redactor.text('first-secret second-secret')).toBe('[redacted] [redacted]')
  })
})

describe('other content is unchanged', () => {
  it('byte for byte', () => {
    const redactor = new Redactor()
    redactor.hide('not in here')
    const content = Uint8Array.from({ length: 70_000 }, (_, i) => (i * 7919) % 256)
    expect(redactor.bytes(content)).toBe(content)
  })

  it('if there is no secret', () => {
    const content = new Uint8Array(3)
    expect(new Redactor().bytes(content)).toBe(content)
  })

  it('if a short secret is part of a word', () => {
    const json = '{"test":"testing","n":41234567,"m":1234}'
    expect(redacted(json, 'test', '1234')).toBe('{"[redacted]":"testing","n":41234567,"m":9999}')
    for (const letter of 'azAZ09é') {
      const words = `${letter}test test${letter}`
      expect(redacted(words, 'test')).toBe(words)
    }
    for (const other of '/:@[`{') {
      expect(redacted(`${other}test${other}`, 'test')).toBe(`${other}[redacted]${other}`)
    }
    expect(redacted('abc', 'abc')).toBe('abc')
  })
})

describe('JSON stays JSON', () => {
  it.each<[string, string, unknown]>([
    ['a number', '{"id":12345678,"name":"x12345678"}', { id: 99_999_999, name: 'x99999999' }],
    ['an escape before', String.raw`{"a":"\nabcdefgh"}`, { a: '[redacted]' }],
    ['escaped backslashes before', String.raw`{"a":"\\nabcdefgh"}`, { a: '\\[redacted]' }],
    ['a backslash at the end', JSON.stringify({ a: 'tail-end\\' }), { a: '[redacted]' }],
  ])('around %s', (_, json, value) => {
    expect(JSON.parse(redacted(json, '12345678', 'nabcdefgh', 'tail-end\\'))).toEqual(value)
  })
})

it.each<[string, string, readonly string[]]>([
  ['a secret of one letter', 'a'.repeat(2_000_000), [`${'a'.repeat(8000)}b`]],
  [
    'secrets with one beginning',
    `${'a'.repeat(63)}b`.repeat(30_000),
    Array.from({ length: 60 }, (_, i) => `${'a'.repeat(63)}${i}`),
  ],
  ['nothing but escapes', '%25'.repeat(600_000), ['%%%%%%%%a']],
  ['nothing but backslashes', '\\'.repeat(2_000_000), [`${'\\'.repeat(100)}a`]],
  ['nothing but entities', '&#x41;'.repeat(300_000), [`${'A'.repeat(4000)}b`]],
])('hostile content takes linear time: %s', (_, content, secrets) => {
  // Without an end in sight, this would take minutes.
  expect(redacted(content, ...secrets)).toBe(content)
})
