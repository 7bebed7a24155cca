/** Where a run may report its end to. */
import { describe, expect, it } from 'vitest'
import { parseConfig } from '../../../src/config.ts'
import { AppError } from '../../../src/errors.ts'
import { checkNotifyUrl } from '../../../src/operations/runs/notify.ts'

const REQUIRED = { AUTH_SECRET: 'x'.repeat(16), LINK_SECRET: 'y'.repeat(16) }
const WEBHOOKS = {
  WEBHOOK_HOSTS: 'hooks.example.com, *.hooks.example, odd.example:8443, localhost:9000',
  WEBHOOK_SECRET: 'z'.repeat(16),
}

function problemOf(url: string, env: Record<string, string> = WEBHOOKS): string | null {
  try {
    checkNotifyUrl(url, parseConfig({ ...REQUIRED, ...env }))
    return null
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    expect(error.code).toBe('invalid_request')
    return error.message
  }
}

it.each([
  'https://hooks.example.com/moonbucket?key=1',
  'https://HOOKS.example.com:443/',
  'https://team.hooks.example/',
  'https://odd.example:8443/a',
])('%s is allowed', (url) => {
  expect(problemOf(url)).toBeNull()
})

it.each([
  ['https://other.example.com/', 'the host is not in WEBHOOK_HOSTS'],
  ['https://hooks.example.com.evil.example/', 'the host is not in WEBHOOK_HOSTS'],
  ['https://hooks.example/', 'the host is not in WEBHOOK_HOSTS'],
  ['https://hooks.example.com:8443/', 'the host is not in WEBHOOK_HOSTS'],
  ['https://odd.example/', 'the host is not in WEBHOOK_HOSTS'],
  ['http://hooks.example.com/', 'the address is not https'],
  ['file:///etc/passwd', 'the address is not https'],
  ['https://user@hooks.example.com/', 'the address contains a credential'],
  ['https://hooks.example.com@evil.example/', 'the address contains a credential'],
  ['https://10.0.0.1/', 'the address is not a public host name'],
  ['https://169.254.169.254/latest/meta-data', 'the address is not a public host name'],
  ['https://0xa9fea9fe/', 'the address is not a public host name'],
  ['https://[fd00::1]/', 'the address is not a public host name'],
  ['http://localhost:9000/', 'the address is not a public host name'],
  ['https://hooks.example.com/a\nb', 'the address has spaces or control characters'],
  ['hooks.example.com', 'the address is not a URL'],
  ['', 'the address is not a URL'],
  [`https://hooks.example.com/${'a'.repeat(2048)}`, 'the address is longer than 2048 characters'],
])('%j is refused', (url, problem) => {
  expect(problemOf(url)).toBe(`notify: ${problem}`)
})

describe('on this machine', () => {
  const local = { ...WEBHOOKS, APIS_ALLOW_LOOPBACK: 'true' }

  it('only where APIs may be, and at a listed port', () => {
    expect(problemOf('http://localhost:9000/', local)).toBeNull()
    expect(problemOf('http://localhost:9001/', local)).toContain('WEBHOOK_HOSTS')
    expect(problemOf('http://127.0.0.1:9000/', local)).toContain('WEBHOOK_HOSTS')
  })
})

it('nowhere, unless the operator lists hosts', () => {
  expect(problemOf('https://hooks.example.com/', {})).toBe(
    'notify: webhooks are not configured here',
  )
})
