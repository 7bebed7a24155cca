/** The snippets for other clients, run as they are copied: only the token is put in. */
import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { snippets } from '../../src/site/workbench/help/client-help.ts'
import { serveApp } from '../node/site/serve-app.ts'

const run = promisify(execFile)
const hasPython = spawnSync('python3', ['--version']).status === 0

/** Every character that one of the languages treats in a way of its own. */
const SCRIPT = [
  `local odd = 'it''s' == nil`.replace("''", String.raw`\'`),
  'local ticks = "`${args.n}` $HOME $(id) \\\\ \\" \\n"',
  'local long = [[""" \'\'\' <b>]]',
  'return { args.n + 1, ticks, long, "日本" }',
].join('\n')
const TEXTS = ['`${args.n}` $HOME $(id) \\ " \n', '""" \'\'\' <b>', '日本']

const service = await serveApp()
const token = await service.tokenOf()
afterAll(() => service.stop())

function textOf(title: string, args = '{"n": 41}'): string {
  const all = snippets({ origin: service.origin, script: SCRIPT, args })
  return all.find((snippet) => snippet.title === title)!.text.replaceAll('<token>', token)
}

describe('a snippet', () => {
  it('for curl', async () => {
    const { stdout } = await run('sh', ['-c', textOf('curl')])
    expect(JSON.parse(stdout)).toMatchObject({ result: [42, ...TEXTS] })
  })

  it('for TypeScript', async () => {
    const program = `${textOf('TypeScript')}console.log(JSON.stringify({ result }))`
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program])
    expect(JSON.parse(stdout.trimEnd().split('\n').at(-1)!)).toEqual({ result: [42, ...TEXTS] })
  })

  it.skipIf(!hasPython)('for Python', async () => {
    const { stdout } = await run('python3', [
      '-X',
      'utf8',
      '-c',
      `${textOf('Python')}\nprint(json.dumps(answer))`,
    ])
    expect(JSON.parse(stdout.trimEnd().split('\n').at(-1)!)).toMatchObject({
      result: [42, ...TEXTS],
    })
  })

  it.each(['Claude Code', 'Claude Desktop', 'Cursor', 'VS Code', 'Codex CLI'])(
    'for %s names the address of this page',
    (host) => {
      expect(textOf(host)).toContain(`${service.origin}/mcp`)
    },
  )
})
