/** Secrets in streams: what comes out is the same, wherever the pieces are cut. */
import { expect, it } from 'vitest'
import { Redactor } from '../../../src/sdk/secrets/redact.ts'

const SECRETS = ['sec+ret/va"lue', '12345678', 'tiny']
const encoder = new TextEncoder()

async function streamed(redactor: Redactor, bytes: Uint8Array, step: number): Promise<string> {
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += step) yield bytes.slice(at, at + step)
  }
  let text = ''
  const decoder = new TextDecoder()
  for await (const piece of redactor.stream(pieces()))
    text += decoder.decode(piece, { stream: true })
  return text + decoder.decode()
}

const [secret] = SECRETS as [string]
const TEXTS = [
  secret,
  JSON.stringify({ a: secret, b: JSON.stringify(secret), n: 12345678 }),
  `${encodeURIComponent(secret)}&${btoa(secret)} tiny tinys xtiny "tiny" ${secret}${secret}`,
  `${'\\'.repeat(20)}${secret}${'%25'.repeat(9)}`,
  'é🦜'.repeat(40) + secret.slice(0, -1),
  'nothing to hide here',
  '',
]

it.each(TEXTS)('%j', async (text) => {
  const redactor = new Redactor()
  for (const one of SECRETS) redactor.hide(one)
  const padded = `${'.'.repeat(3000)}${text}${'.'.repeat(3000)}`
  for (const content of [text, padded]) {
    const bytes = encoder.encode(content)
    const whole = new TextDecoder().decode(redactor.bytes(bytes))
    for (const step of [1, 2, 3, 7, 64, 1000, 10_000]) {
      expect(await streamed(redactor, bytes, step)).toBe(whole)
    }
  }
})

it('without secrets, pieces pass as they are', async () => {
  const piece = encoder.encode('a piece')
  async function* pieces() {
    yield piece
  }
  for await (const given of new Redactor().stream(pieces())) expect(given).toBe(piece)
})

it('pieces of one byte are looked at together, not each with all that is held', async () => {
  const redactor = new Redactor()
  redactor.hide('the secret of an API')
  const text = `${'x'.repeat(20_000)}the secret of an API.`
  async function* pieces() {
    for (const byte of new TextEncoder().encode(text)) yield Uint8Array.of(byte)
  }
  const given: string[] = []
  for await (const piece of redactor.stream(pieces())) given.push(new TextDecoder().decode(piece))
  expect(given.join('')).toBe(`${'x'.repeat(20_000)}[redacted].`)
  expect(given.length).toBeLessThan(100)
})
