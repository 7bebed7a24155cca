/** Addresses that webhooks must not call, and messages that receivers must not accept. */
import { describe, expect, it } from 'vitest'
import { webhookKey } from '../../src/operations/runs/notify.ts'
import { makeMcp } from '../mcp/make-mcp.ts'
import { makeRunsApp } from '../support/run-queue.ts'

const WEBHOOK_SECRET = 'derives the keys of the tests'
const WEBHOOKS = {
  WEBHOOK_HOSTS: 'hooks.example.com, *.hooks.example, odd.example:8443, localhost:9000',
  WEBHOOK_SECRET,
}

async function makeWebhooks(env: Record<string, string> = WEBHOOKS) {
  const made = await makeRunsApp({ env })

  /** `null` if the run was accepted. */
  async function problemOf(notify: unknown): Promise<string | null> {
    const response = await made.post({ script: 'return 1', background: true, notify })
    if (response.status === 202) return null
    expect([response.status, made.queue.sent]).toEqual([422, []])
    return ((await response.json()) as { error: { message: string } }).error.message
  }

  return { ...made, problemOf }
}

describe('an address', () => {
  it.each([
    'https://hooks.example.com/moonbucket?key=1',
    'https://HOOKS.example.com:443/',
    'https://team.hooks.example/',
    'https://odd.example:8443/a',
  ])('%s is allowed', async (notify) => {
    expect(await (await makeWebhooks()).problemOf(notify)).toBeNull()
  })

  it.each([
    ['https://other.example.com/', 'the host is not in WEBHOOK_HOSTS'],
    ['https://hooks.example.com.evil.example/', 'the host is not in WEBHOOK_HOSTS'],
    ['https://evilhooks.example.com/', 'the host is not in WEBHOOK_HOSTS'],
    ['https://hooks.example/', 'the host is not in WEBHOOK_HOSTS'],
    ['https://hooks.example.com:8443/', 'the host is not in WEBHOOK_HOSTS'],
    ['https://odd.example/', 'the host is not in WEBHOOK_HOSTS'],
    ['http://hooks.example.com/', 'the address is not https'],
    ['ftp://hooks.example.com/', 'the address is not https'],
    ['file:///etc/passwd', 'the address is not https'],
    ['https://user@hooks.example.com/', 'the address contains a credential'],
    ['https://user:pass@hooks.example.com/', 'the address contains a credential'],
    ['https://hooks.example.com@evil.example/', 'the address contains a credential'],
    ['https://10.0.0.1/', 'the address is not a public host name'],
    ['https://169.254.169.254/latest/meta-data', 'the address is not a public host name'],
    ['https://0xa9fea9fe/', 'the address is not a public host name'],
    ['https://2852039166/', 'the address is not a public host name'],
    ['https://[fd00::1]/', 'the address is not a public host name'],
    ['https://[::ffff:10.0.0.1]/', 'the address is not a public host name'],
    ['http://localhost:9000/', 'the address is not a public host name'],
    ['https://127.1/', 'the address is not a public host name'],
    ['https://hooks.example.com/a\nb', 'the address has spaces or control characters'],
    [' https://hooks.example.com/', 'the address has spaces or control characters'],
    ['hooks.example.com', 'the address is not a URL'],
    ['', 'the address is not a URL'],
  ])('%j is refused', async (notify, problem) => {
    expect(await (await makeWebhooks()).problemOf(notify)).toBe(`notify: ${problem}`)
  })

  it('that is too long is refused', async () => {
    const long = `https://hooks.example.com/${'a'.repeat(2048)}`
    expect(await (await makeWebhooks()).problemOf(long)).toBe(
      'notify: must have at most 2048 characters',
    )
  })

  it.each([[5], [null], [['https://hooks.example.com/']], [{ url: 'https://hooks.example.com/' }]])(
    'that is no text is refused: %j',
    async (notify) => {
      expect(await (await makeWebhooks()).problemOf(notify)).toMatch(/^notify: /)
    },
  )

  it('of this machine is refused, except where APIs may be there, at a listed port', async () => {
    const local = await makeWebhooks({ ...WEBHOOKS, APIS_ALLOW_LOOPBACK: 'true' })
    expect(await local.problemOf('http://localhost:9000/')).toBeNull()
    local.queue.sent.length = 0
    expect(await local.problemOf('http://localhost:9001/')).toContain('WEBHOOK_HOSTS')
    expect(await local.problemOf('http://127.0.0.1:9000/')).toContain('WEBHOOK_HOSTS')
  })

  it('is refused wherever it leads, unless the operator lists hosts', async () => {
    expect(await (await makeWebhooks({})).problemOf('https://hooks.example.com/')).toBe(
      'notify: webhooks are not configured here',
    )
  })

  it('is shown to nobody afterwards: its path may be a secret', async () => {
    const { start, send } = await makeWebhooks()
    const { id } = await start('return 1', { notify: 'https://hooks.example.com/top-secret' })
    for (const path of [`/runs/${id}`, '/runs']) {
      expect(await (await send(path)).text()).not.toContain('top-secret')
    }
  })
})

describe('the key of a tenant', () => {
  const keyOf = async (scope?: string, env: Record<string, string> = WEBHOOKS) => {
    const made = await makeWebhooks(env)
    const response = await made.send('/usage', {}, { ...(scope !== undefined && { scope }) })
    const { webhook_key: shown } = (await response.json()) as { webhook_key?: string }
    return { shown, key: await webhookKey(WEBHOOK_SECRET, made.tenant) }
  }

  it('is for those who manage the tenant', async () => {
    const { shown, key } = await keyOf('execute admin')
    expect(shown).toBe(key)
  })

  it.each([undefined, 'execute', 'execute files:read files:write', 'execute Admin'])(
    'is for nobody else: %j',
    async (scope) => {
      expect((await keyOf(scope)).shown).toBeUndefined()
    },
  )

  it('is not there without webhooks', async () => {
    expect((await keyOf('execute admin', {})).shown).toBeUndefined()
  })

  it('is never sent to a model', async () => {
    const made = await makeMcp({ env: { ...WEBHOOKS, QUOTA_BYTES: '1000' } })
    const answer = await made.call('get_usage', {}, { claims: { scope: 'execute admin' } })
    expect(JSON.stringify(answer)).not.toContain('whsec_')
    expect(answer.isError).toBeFalsy()
  })
})

it('a tenant can sign for no other, whatever it is called', async () => {
  const tenants = ['acme', 'acme2', 'Acme', ' acme', 'acme\0', 'acm', 'é', 'é'.normalize('NFD')]
  const keys = await Promise.all(tenants.map((tenant) => webhookKey(WEBHOOK_SECRET, tenant)))
  expect(new Set(keys).size).toBe(tenants.length)
  expect(await webhookKey(`${WEBHOOK_SECRET}!`, 'acme')).not.toBe(keys[0])
})
