/** A service on a folder that writes until it is killed: prints a line for each run that ended. */
import { folderStorage } from '../../../src/storage/folder/folder.ts'
import { makeApp } from '../../support/make-app.ts'

const [folder = '', tenant = '', quota = ''] = process.argv.slice(2)
const storage = folderStorage(folder)
const app = await makeApp({ storage, env: { QUOTA_BYTES: quota } })

/** New files, replaced ones, a log, a rename and a removal. */
const SCRIPT = `
  local n = args.n
  io.open("own/" .. n % 5, "w"):write(("x"):rep(1000 + n % 7 * 300)):close()
  io.open("log", "a"):write(("y"):rep(100)):close()
  io.list()
  io.open("draft" .. n % 3, "w"):write(("z"):rep(700)):close()
  os.rename("draft" .. n % 3, "final" .. n % 4)
  if n % 6 == 0 then os.remove("log") end
`

async function writeOn(writer: number): Promise<void> {
  for (let n = writer; ; n += 3) {
    const { error } = await app.run(SCRIPT, { args: { n } }, { tenant, sub: `user-${writer}` })
    console.info(error ? error.kind : 'stored')
  }
}

process.stdin.on('end', () => process.exit()).resume()
await Promise.all([writeOn(0), writeOn(1), writeOn(2)])
