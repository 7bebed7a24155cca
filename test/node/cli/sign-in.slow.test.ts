/** `moonbucket login` at the service's own sign-in, and what it can do then. */
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { tempFolder } from '../../support/temp-folder.ts'
import { allow, signInVars } from '../mcp/sign-in-host.ts'
import { serveApp } from '../site/serve-app.ts'
import { runCliWith, writeScript } from './cli-process.ts'

const service = await serveApp({ env: await signInVars('acme') })
afterAll(() => service.stop())

const folder = tempFolder()
const env = { XDG_CONFIG_HOME: join(folder, 'config') }
const moonbucket = (...args: string[]) => runCliWith({ folder, env }, ...args)

it('signs in with a key on the page, and runs scripts and reads files as its owner', async () => {
  let opened: Promise<Response> | undefined
  const onError = (shown: string) => {
    const [address] = /http:\/\/\S+/.exec(shown) ?? []
    if (address !== undefined) opened ??= allow(new URL(address), fetch).then((back) => fetch(back))
  }
  const login = await runCliWith({ folder, env, onError }, 'login', service.origin)
  expect([login.exitCode, (await opened)?.status]).toEqual([0, 200])
  const script = writeScript(folder, 'file.save("output/a.txt", "hello") return args.n + 1')
  expect(await moonbucket('run', script, '--remote', '--args', '{"n":1}')).toMatchObject({
    exitCode: 0,
    stdout: '2\n',
  })
  expect(await moonbucket('get', 'output/a.txt', '-')).toMatchObject({ stdout: 'hello' })
  // No host gets the scope admin.
  expect(await moonbucket('keys')).toMatchObject({ exitCode: 1 })
  expect(await moonbucket('logout')).toMatchObject({ exitCode: 0 })
  expect(await moonbucket('ls')).toMatchObject({ exitCode: 2 })
})
