/** `npm run moonbucket`: the CLI from a clone, rebuilt if needed. */
import { buildDemo } from './build/apis/build.ts'
import { buildLua } from './build/lua/build.ts'

const WATCH_MS = 250

// Build messages must not go to stdout, which is the script's.
const { info } = console
console.info = console.error
await buildLua()
buildDemo()
console.info = info

// On SIGTERM npm ends only its shell.
const shell = process.ppid
const watch = setInterval(() => {
  if (process.ppid === shell) return
  clearInterval(watch)
  process.kill(process.pid, 'SIGTERM')
}, WATCH_MS).unref()

// npm changes to the clone; paths are relative to the user's folder.
process.chdir(process.env.INIT_CWD ?? '.')
await import('../src/entry/cli.ts')
