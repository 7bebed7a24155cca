/** What the official conformance suite says about sign-in as an authorization server. */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, expect, it } from 'vitest'
import { packageFile } from '../../all/packages.ts'
import { freePort } from '../../support/listen.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { serveApp } from '../site/serve-app.ts'
import { allow, signInVars } from './sign-in-host.ts'

const SUITE = join(packageFile('@modelcontextprotocol/conformance'), 'dist/index.js')

const service = await serveApp({ env: await signInVars('acme') })
afterAll(() => service.stop())

interface Check {
  readonly id: string
  readonly status: string
}

it('every check passes, while a person lets the suite in', async () => {
  const [port, folder] = [await freePort(), tempFolder()]
  const registered = await fetch(`${service.origin}/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [`http://127.0.0.1:${port}/callback`] }),
  })
  const { client_id } = (await registered.json()) as { client_id: string }
  const where = ['--url', service.origin, '--resource', `${service.origin}/mcp`]
  const client = ['--client-id', client_id, '--port', String(port), '--output-dir', folder]
  const child = spawn(process.execPath, [SUITE, 'authorization', ...where, ...client])
  const ended = new Promise((done) => child.once('close', done))
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on('line', (line) => {
      lines.push(line)
      const page = /https?:\/\/\S+\/authorize\?\S+/.exec(line)?.[0]
      if (page) void allow(new URL(page), fetch).then((answer) => fetch(answer))
    })
  }
  expect([await ended, lines.join('\n')]).toEqual([0, expect.any(String)])
  const checks = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('checks.json'))
    .flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Check[])
  const found = checks.filter(({ status }) => status !== 'INFO')
  expect(found.map(({ id, status }) => `${status} ${id}`).sort()).toEqual([
    'SUCCESS authorization-code-grant',
    'SUCCESS authorization-server-metadata',
    'SUCCESS authorization-server-metadata-cimd',
  ])
})
