/** `npm run moonbucket`: the CLI from a clone, rebuilt if needed. */
import { buildDemo } from './build/apis/build.ts'
import { buildLua } from './build/lua/build.ts'
import { whenOrphaned } from './stop-with-parent.ts'

// Build messages must not go to stdout, which is the script's.
const { info } = console
console.info = console.error
await buildLua()
buildDemo()
console.info = info

whenOrphaned(() => process.kill(process.pid, 'SIGTERM'))

// npm changes to the clone; paths are relative to the user's folder.
process.chdir(process.env.INIT_CWD ?? '.')
await import('../src/entry/cli.ts')
