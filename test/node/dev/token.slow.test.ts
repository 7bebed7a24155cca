/** `npm run -s token`: what it prints, and the secrets it makes and keeps. */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { decodeJwt, decodeProtectedHeader, jwtVerify, type JWTPayload } from 'jose'
import { beforeEach, describe, expect, it } from 'vitest'
import { tempFolder } from '../../support/temp-folder.ts'

const SCRIPT = resolve(import.meta.dirname, '../../../infra/token.ts')
const SECRET = /^[\w-]{43}$/

let varsFile: string

beforeEach(() => {
  varsFile = join(tempFolder(), '.dev.vars')
})

describe('the token', () => {
  it('is signed with the secret of the settings, and is all that is printed', async () => {
    const { exitCode, stdout, stderr } = await runToken('--tenant', 'acme', '--user', 'alice')
    const token = stdout.slice(0, -1)
    const key = new TextEncoder().encode(savedVars().AUTH_SECRET)
    const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'] })
    expect({ exitCode, stderr, header: decodeProtectedHeader(token), payload }).toEqual({
      exitCode: 0,
      stderr: '',
      header: { alg: 'HS256', typ: 'JWT' },
      payload: { tenant: 'acme', sub: 'alice', iat: payload.iat, exp: payload.iat! + 3600 },
    })
  })

  it.each<[string[], JWTPayload]>([
    [[], { tenant: 'acme' }],
    [['--scope', 'execute files:read'], { tenant: 'acme', scope: 'execute files:read' }],
    [['--scope='], { tenant: 'acme', scope: '' }],
    [['--claim', 'paths=["out"]'], { tenant: 'acme', paths: ['out'] }],
    [['--claim', 'a=1', '--claim', 'b=x=y'], { tenant: 'acme', a: 1, b: 'x=y' }],
    [['--claim', 'note='], { tenant: 'acme', note: '' }],
    [['--claim', 'tenant=other'], { tenant: 'other' }],
  ])('of %j holds %j', async (args, claims) => {
    const { iat: _iat, exp: _exp, ...payload } = await claimsOf(...args)
    expect(payload).toEqual(claims)
  })

  it.each([
    [['--ttl=60'], 60],
    [['--ttl', '60'], 60],
    [['--ttl=-5'], -5],
    [['--ttl', '-5'], -5],
  ])('with %j lives %d seconds', async (args, seconds) => {
    const { iat, exp } = await claimsOf(...args)
    expect(exp! - iat!).toBe(seconds)
  })

  it('names the issuer, the audience and the tenant as the settings say', async () => {
    const settings = { AUTH_ISSUER: 'us', AUTH_AUDIENCE: 'them', AUTH_TENANT_CLAIM: 'org' }
    writeFileSync(varsFile, toLines(settings))
    const { iat: _iat, exp: _exp, ...payload } = await claimsOf()
    expect(payload).toEqual({ org: 'acme', iss: 'us', aud: 'them' })
  })
})

describe('the settings', () => {
  it('are made on first use, for the owner only', async () => {
    await runToken('--tenant', 'acme')
    expect({ vars: savedVars(), mode: statSync(varsFile).mode & 0o777 }).toEqual({
      vars: {
        AUTH_SECRET: expect.stringMatching(SECRET),
        LINK_SECRET: expect.stringMatching(SECRET),
      },
      mode: 0o600,
    })
  })

  it('stay as they are once they are complete', async () => {
    await runToken('--tenant', 'acme')
    const before = readFileSync(varsFile, 'utf8')
    await runToken('--tenant', 'acme')
    expect(readFileSync(varsFile, 'utf8')).toBe(before)
  })

  it('keep what stands in them when a secret is added', async () => {
    const own = '# mine\nAUTH_SECRET=a-secret-of-my-own\nPUBLIC_URL=http://localhost'
    writeFileSync(varsFile, own)
    await runToken('--tenant', 'acme')
    const text = readFileSync(varsFile, 'utf8')
    expect(text.replace(/=[\w-]{43}\n$/, '=(new)\n')).toBe(`${own}\nLINK_SECRET=(new)\n`)
  })

  it('are the same for everybody who came first at once', async () => {
    const all = await Promise.all([1, 2, 3, 4].map(() => runToken('--tenant', 'acme')))
    const key = new TextEncoder().encode(savedVars().AUTH_SECRET)
    const verified = await Promise.all(all.map(({ stdout }) => jwtVerify(stdout.trim(), key)))
    expect(verified.map(({ payload }) => payload.tenant)).toEqual(Array(4).fill('acme'))
  })
})

it.each([
  [[], 'token: --tenant is required; --help lists the options'],
  [['--tenant='], 'token: --tenant is required; --help lists the options'],
  [['--tenant'], "token: Option '--tenant <value>' argument missing; --help lists the options"],
  [['--tenent', 'acme'], "token: Unknown option '--tenent'; --help lists the options"],
  [['acme'], "token: Unexpected argument 'acme'; --help lists the options"],
  [['--tenant=a', '--ttl=soon'], 'token: --ttl must be a number of seconds'],
  [['--tenant=a', '--claim', 'x'], 'token: --claim must be NAME=VALUE, not "x"'],
])('a mistake is one line and exit code 1: %j', async (args, line) => {
  expect(await runToken(...args)).toEqual({ exitCode: 1, stdout: '', stderr: `${line}\n` })
  expect(existsSync(varsFile)).toBe(false)
})

it('--help explains every option', async () => {
  const { exitCode, stdout } = await runToken('--help')
  const named = ['tenant', 'user', 'scope', 'ttl', 'claim', 'vars'].filter((name) =>
    stdout.includes(`\n  --${name} `),
  )
  expect({ exitCode, named }).toEqual({
    exitCode: 0,
    named: ['tenant', 'user', 'scope', 'ttl', 'claim', 'vars'],
  })
})

async function claimsOf(...args: string[]): Promise<JWTPayload> {
  const { stdout } = await runToken('--tenant', 'acme', ...args)
  return decodeJwt(stdout.trim())
}

function runToken(...args: string[]) {
  const words = [SCRIPT, '--vars', varsFile, ...args]
  return new Promise<{ exitCode: number | null; stdout: string; stderr: string }>((done) => {
    const child = execFile(process.execPath, words, (_error, stdout, stderr) => {
      done({ exitCode: child.exitCode, stdout, stderr })
    })
  })
}

function savedVars() {
  return parseEnv(readFileSync(varsFile, 'utf8'))
}

function toLines(vars: Readonly<Record<string, string>>): string {
  return Object.entries(vars)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}
