/** `npm run moonbucket`: the same from a clone, with a VM as its source is now. */
import { buildLua } from './build/lua/build.ts'

const WATCH_MS = 250

// A build that has to be made says so, but standard output is the script's.
const { info } = console
console.info = console.error
await buildLua()
console.info = info

// npm answers SIGTERM by ending the shell between it and us, and not us.
const shell = process.ppid
const watch = setInterval(() => {
  if (process.ppid === shell) return
  clearInterval(watch)
  process.kill(process.pid, 'SIGTERM')
}, WATCH_MS).unref()

// npm starts scripts in the clone; paths mean the folder that the person is in.
process.chdir(process.env.INIT_CWD ?? '.')
await import('../src/entry/cli.ts')
