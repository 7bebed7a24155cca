/** Runs the steps of `infra/Dockerfile` in a clean folder, without a container engine. */
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { untilListening } from '../../runtime/start-node.ts'
import { ROOT } from '../../../infra/root.ts'
import { SECRETS } from '../../support/sign-token.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { clientOf } from './node-client.ts'

const steps = readFileSync(join(ROOT, 'infra/Dockerfile'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, step, rest] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    return step ? [[step, rest!] as const] : []
  })

const restOf = (name: string) => steps.filter(([step]) => step === name).map(([, rest]) => rest)

it('builds from the files of the repository alone, and what it starts serves', async () => {
  const build = join(tempFolder(), 'app')
  const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  for (const name of tracked.trim().split('\n')) {
    mkdirSync(dirname(join(build, name)), { recursive: true })
    cpSync(join(ROOT, name), join(build, name))
  }
  const [install, ...commands] = restOf('RUN')
  expect(install).toBe('npm ci')
  // Installed already.
  symlinkSync(join(ROOT, 'node_modules'), join(build, 'node_modules'))
  const [bundle, prepare] = commands
  execFileSync('sh', ['-c', bundle!], { cwd: build, stdio: 'pipe' })

  const image = join(tempFolder(), 'image')
  expect(restOf('COPY')).toEqual(['. .', '--from=build /app/dist/node .'])
  cpSync(join(build, 'dist/node'), image, { recursive: true })
  expect(prepare).toBe('mkdir /data && chown node:node /data')
  const vars = Object.fromEntries(
    restOf('ENV').flatMap((line) => line.split(' ').map((pair) => pair.split('='))),
  ) as Record<string, string>
  expect(vars).toEqual({ HOST: '0.0.0.0', STORAGE: 'folder', FOLDER: '/data' })
  const [program, ...args] = JSON.parse(restOf('CMD')[0]!) as string[]
  expect(program).toBe('node')
  const data = join(tempFolder(), 'data')
  const child = spawn(process.execPath, args, {
    cwd: image,
    env: { ...SECRETS, ...vars, HOST: '127.0.0.1', PORT: '0', FOLDER: data },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const node = await untilListening(child)
  try {
    const { run } = clientOf(node)
    await run('io.open("a.txt", "w"):write("kept"):close()')
    expect(readFileSync(join(data, 'acme/users/alice/a.txt'), 'utf8')).toBe('kept')
    expect((await fetch(`${node.origin}/docs`)).status).toBe(200)
  } finally {
    await node.stop()
  }
})
