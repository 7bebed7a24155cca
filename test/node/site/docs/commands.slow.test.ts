/** Commands of the guides that need a shell: they do what is said beside them. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { parseEnv, promisify } from 'node:util'
import { decodeJwt } from 'jose'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ROOT } from '../../../../infra/root.ts'
import { agentsPage } from '../../../../infra/build/site/docs/agents-page.ts'
import { parseHtml, textOf } from '../../../../infra/build/site/docs/text/html-tree.ts'
import { webhookKey } from '../../../../src/operations/runs/notify.ts'
import { PLACEHOLDER_ORIGIN } from '../../../../src/site/placeholder-origin.ts'
import { freePort } from '../../../support/listen.ts'
import { tempFolder } from '../../../support/temp-folder.ts'
import { serveApp } from '../serve-app.ts'

const execute = promisify(execFile)

function blocks(guide: string, language: string): string[] {
  const text = readFileSync(resolve(ROOT, `docs/${guide}.md`), 'utf8')
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, code]) => code!,
  )
}

/** With npm as in the clone and the command as installed, in a folder of its own. */
async function shell(code: string, env: Readonly<Record<string, string>> = {}, cwd = tempFolder()) {
  const functions = `npm() { command npm --prefix "${ROOT}" "$@"; }
    moonbucket() { npm run -s moonbucket -- "$@"; }`
  const { stdout } = await execute('sh', ['-c', `${functions}\n${code}`], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
  })
  return stdout.trim()
}

async function serve(env: Record<string, string>) {
  const service = await serveApp({ env })
  onTestFinished(() => void service.stop())
  return service
}

function statusOf(origin: string, token: string, route: string, body: object): Promise<number> {
  const headers = { Authorization: `Bearer ${token}` }
  return fetch(`${origin}/${route}`, { method: 'POST', headers, body: JSON.stringify(body) }).then(
    ({ status }) => status,
  )
}

describe('tokens', () => {
  const [whole, reader, key] = blocks('auth', 'sh')
  const vars = resolve(tempFolder(), 'moonbucket.vars')
  const here = (code: string) => code.replace('token -- ', `token -- --vars ${vars} `)
  const secret = () => parseEnv(readFileSync(vars, 'utf8')).AUTH_SECRET!

  it('are printed by the command, and say what the guide says', async () => {
    const token = await shell(here(whole!))
    expect(decodeJwt(token)).toMatchObject({ tenant: 'acme', sub: 'alice' })
    const { origin } = await serve({ AUTH_SECRET: secret() })
    expect(await statusOf(origin, token, 'execute', { script: 'return 1' })).toBe(200)
  })

  it('may do less', async () => {
    const token = await shell(here(reader!))
    const { origin } = await serve({ AUTH_SECRET: secret() })
    const all = await shell(here(whole!))
    const written = { path: 'output/a.txt', content: 'x' }
    expect(await statusOf(origin, all, 'fs/write', written)).toBe(200)
    expect(await statusOf(origin, token, 'fs/list', { path: 'output' })).toBe(200)
    expect(await statusOf(origin, token, 'fs/read', { path: 'output/a.txt' })).toBe(200)
    expect(await statusOf(origin, token, 'fs/write', written)).toBe(403)
    expect(await statusOf(origin, token, 'execute', { script: 'return 1' })).toBe(403)
    expect(await statusOf(origin, token, 'fs/read', { path: 'other.txt' })).toBe(400)
  })

  it('can be signed by a program', async () => {
    const [program] = blocks('auth', 'ts')
    const AUTH_SECRET = 'a secret of at least 32 characters, made for this'
    const options = { cwd: ROOT, env: { PATH: process.env.PATH, AUTH_SECRET } }
    const node = ['--input-type=module', '-e', program!]
    const { stdout } = await execute(process.execPath, node, options)
    const { origin } = await serve({ AUTH_SECRET })
    expect(await statusOf(origin, stdout.trim(), 'execute', { script: 'return 1' })).toBe(200)
  })

  it('can be keys', async () => {
    const [first, entry] = (await shell(key!)).split('\n')
    const [, made] = /: (\w{64})$/.exec(first!)!
    const { origin } = await serve(parseEnv(entry!) as Record<string, string>)
    expect(await statusOf(origin, made!, 'execute', { script: 'return 1' })).toBe(200)
    expect(await statusOf(origin, made!, 'fs/list', {})).toBe(403)
  })
})

it('the command runs what it is given', async () => {
  const example = blocks('command', 'sh').find((code) => code.includes('run -'))!
  expect(await shell(example)).toBe('["hello.txt"]')
})

it('a file is uploaded, and the script made over reads it', async () => {
  const { origin, tokenOf, run } = await serveApp()
  const upload = blocks('migrate', 'sh').find((code) => code.includes('curl'))!
  const folder = tempFolder({ 'numbers.txt': '40\n2\n' })
  await shell(upload.replace(PLACEHOLDER_ORIGIN, origin), { TOKEN: await tokenOf() }, folder)
  expect(await run(blocks('migrate', 'lua')[0]!)).toMatchObject({ result: { total: 42 } })
})

describe('long runs', () => {
  const [waiting, receiving] = blocks('runs', 'ts')
  const [inPython] = blocks('runs', 'python')
  const [derivation] = blocks('runs', 'sh')
  const WEBHOOK_SECRET = 'a secret of at least 16 characters'

  async function program(code: string, env: Readonly<Record<string, string>>) {
    const file = resolve(tempFolder(), 'program.ts')
    // Where the package is installed; a person installs it beside the program.
    const place = pathToFileURL(resolve(ROOT, 'node_modules/standardwebhooks/dist/index.js')).href
    writeFileSync(file, code.replace("'standardwebhooks'", `'${place}'`))
    return spawn(process.execPath, [file], { env: { PATH: process.env.PATH, ...env } })
  }

  it('are waited for by a program', async () => {
    const { origin, tokenOf } = await serve({})
    const code = waiting!.replace(PLACEHOLDER_ORIGIN, origin)
    const child = await program(code, { TOKEN: await tokenOf() })
    expect(await readText(child.stdout)).toBe('succeeded 42\n')
  })

  it('are waited for by a program in Python', async () => {
    const { origin, tokenOf } = await serve({})
    const code = inPython!.replace(PLACEHOLDER_ORIGIN, origin)
    const env = { PATH: process.env.PATH, TOKEN: await tokenOf() }
    const { stdout } = await execute('python3', ['-c', code], { env })
    expect(stdout).toBe('succeeded 42\n')
  })

  it('report their end to the receiver, with the key that the command derives', async () => {
    const WEBHOOK_KEY = await shell(derivation!, { WEBHOOK_SECRET })
    expect(WEBHOOK_KEY).toBe(await webhookKey(WEBHOOK_SECRET, 'acme'))
    const port = await freePort()
    const child = await program(receiving!, { WEBHOOK_KEY, PORT: String(port) })
    onTestFinished(() => void child.kill())
    await expect.poll(() => isListening(port), { timeout: 20_000 }).toBe(true)
    const { origin, tokenOf } = await serve({
      WEBHOOK_HOSTS: `127.0.0.1:${port}`,
      WEBHOOK_SECRET,
      APIS_ALLOW_LOOPBACK: 'true',
    })
    const response = await fetch(`${origin}/execute`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${await tokenOf({ tenant: 'acme' })}` },
      body: JSON.stringify({
        script: 'return 1',
        background: true,
        notify: `http://127.0.0.1:${port}/`,
      }),
    })
    const { run } = (await response.json()) as { run: { id: string } }
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    expect(line.toString()).toBe(`{ id: '${run.id}', status: 'succeeded' }\n`)
    const forged = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' })
    expect(forged.status).toBe(401)
  })

  const isListening = (port: number) =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    )
})

it('an agent on this machine starts the tools from a clone', async () => {
  const { main } = agentsPage()
  const entries = [...main.matchAll(/<code>(\{(?:(?!<\/code>).)*mcpServers.*?)<\/code>/gs)]
    .map(([, html]) => JSON.parse(textOf(parseHtml(html!))) as { mcpServers: Servers })
    .map(({ mcpServers }) => mcpServers.moonbucket)
  const { command, args } = entries.find((entry) => entry.command === 'npm')!
  const folder = tempFolder()
  const real = args.map((word) =>
    word.replace('/home/me/moonbucket', ROOT).replace('/home/me/data', folder),
  )
  const client = new Client({ name: 'an agent', version: '1' })
  const cwd = tempFolder()
  await client.connect(new StdioClientTransport({ command, args: real, cwd }))
  onTestFinished(() => client.close())
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toContain('execute_script')
  const script = 'file.save("a.txt", "from an agent") return 1'
  await client.callTool({ name: 'execute_script', arguments: { script } })
  expect(readFileSync(resolve(folder, 'a.txt'), 'utf8')).toBe('from an agent')
})

interface Servers {
  readonly moonbucket: { readonly command: string; readonly args: readonly string[] }
}
