/** `npm run test:all`: everything that can be tested, one step after the other. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { run, UsageError } from '../../infra/command-line.ts'
import { stopWithParent } from '../../infra/stop-with-parent.ts'
import { installAll } from './packages.ts'

/** In this order: what fails most often and soonest comes first. */
const STEPS = {
  node: 'vitest run --mode all --project node',
  process: 'vitest run --mode all --project process',
  workerd: 'vitest run --mode all --project workerd',
  faults: 'npm run -s test:faults',
  ceph: 'npm run -s test:ceph',
  documents: 'npm run -s test:documents',
  ric: 'npm run -s test:ric',
  specs: 'npm run -s test:specs',
  libraries: 'npm run -s test:libraries',
} as const

const HELP = `Runs every test there is, and stops at the first step that fails.

  npm run test:all                  all steps
  npm run test:all -- ceph ric      these steps

  node      portable suites in Node, with their tables whole
  process   servers, browsers, official clients, a fresh clone and its build; installs test/all
  workerd   portable suites in workerd
  faults    200 runs under each of nine faults between service and store
  ceph      the storage tests against a real Ceph
  documents our documents in LibreOffice, and its documents in ours
  ric       the Lambda bundle under AWS's own runtime client
  specs     the compiler on well-known specifications
  libraries well-known Lua libraries with their own tests`

await run('test:all', async () => {
  const { values, positionals } = parseArgs({
    options: { help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  })
  if (values.help) return console.info(HELP)
  const names = positionals.length > 0 ? positionals : Object.keys(STEPS)
  const unknown = names.find((name) => !(name in STEPS))
  if (unknown) throw new UsageError(`"${unknown}" is none of ${Object.keys(STEPS).join(', ')}`)
  // As a shell reports a signal; what was started goes with the process.
  stopWithParent(async () => process.exit(130))
  for (const name of names as (keyof typeof STEPS)[]) {
    console.info(`\n== ${name}: ${STEPS[name]}`)
    const begin = performance.now()
    if (name === 'process') installAll()
    const exitCode = await call(STEPS[name])
    const seconds = ((performance.now() - begin) / 1000).toFixed(1)
    console.info(`== ${name}: ${exitCode === 0 ? 'passed' : 'failed'} after ${seconds} s`)
    if (exitCode !== 0) process.exit(exitCode)
  }
})

async function call(command: string): Promise<number> {
  const child = spawn(command, { stdio: 'inherit', shell: true })
  process.once('exit', () => child.kill())
  const [exitCode] = (await once(child, 'exit')) as [number | null]
  return exitCode ?? 1
}
