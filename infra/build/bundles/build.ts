/** `npm run build:<target>`: builds `dist/<target>`; for Lambda also a zip archive. */
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { bundle, TARGETS, zip } from './bundle.ts'
import { run, UsageError } from '../../command-line.ts'
import { ROOT } from '../../root.ts'

await run('build', async () => {
  for (const target of process.argv.slice(2)) await buildTarget(target)
})

async function buildTarget(target: string): Promise<void> {
  const entries = TARGETS[target]
  if (!entries) {
    throw new UsageError(`"${target}" is none of ${Object.keys(TARGETS).join(', ')}`)
  }
  const folder = resolve(ROOT, 'dist', target)
  const names = await bundle(target, folder)
  const files = names.map((name) => ({ name, bytes: readFileSync(resolve(folder, name)) }))
  const read = [...entries.map((entry) => `${basename(entry, '.ts')}.mjs`), 'lua.wasm']
  for (const { name, bytes } of files) if (read.includes(name)) report(`${target}/${name}`, bytes)
  const code = files.filter(({ name }) => /^[^/]+\.(?:mjs|wasm)$/.test(name))
  report(`${target}, with what is loaded on demand`, Buffer.concat(code.map((file) => file.bytes)))
  if (target !== 'lambda') return
  const archive = zip(files)
  writeFileSync(resolve(folder, 'lambda.zip'), archive)
  report('lambda/lambda.zip', archive)
}

function report(name: string, bytes: Uint8Array): void {
  const kilobytes = ({ length }: Uint8Array) => `${(length / 1024).toFixed(1)} KiB`
  console.info(`dist/${name}: ${kilobytes(bytes)}, gzip ${kilobytes(gzipSync(bytes))}`)
}
