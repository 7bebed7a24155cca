/** `moonbucket ls`, `get`, `put`, `rm` and `link`. */
import { createWriteStream, openAsBlob, rmSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { Readable, Transform, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as NodeStream } from 'node:stream/web'
import type { UploadBody } from '../../client/index.ts'
import { UsageError } from '../../errors.ts'
import type { Terminal } from '../options.ts'
import type { RemoteAction, RemoteInput } from './commands.ts'
import { paint, plain, printJson, progressBar, sizeText } from './output.ts'
import { openSession } from './session.ts'

const sessionOf = ({ values: { profile } }: RemoteInput, terminal: Terminal) =>
  openSession(terminal, typeof profile === 'string' ? profile : undefined)

type Entries = Awaited<
  ReturnType<ReturnType<typeof openSession>['client']['files']['list']>
>['entries']

export const list: RemoteAction = async (input, terminal, signal) => {
  const { files } = sessionOf(input, terminal).client
  const { words, values } = input
  const [path] = words
  const recursive = values.recursive === true
  const all: Entries = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<typeof files.list>> = await files.list(
      { path, recursive, limit: 1000, ...(cursor !== null && { cursor }) },
      { signal },
    )
    if (values.json) all.push(...page.entries)
    else printEntries(page.entries, recursive, terminal)
    cursor = page.cursor
  } while (cursor !== null)
  if (values.json) printJson(terminal, all)
  return 0
}

function printEntries(entries: Entries, isDeep: boolean, terminal: Terminal): void {
  const { stdout } = terminal
  for (const { name, path, type, bytes, modified_at } of entries) {
    const shown = plain(isDeep ? path : name)
    const size = bytes === null ? '' : sizeText(bytes)
    const label = type === 'folder' ? paint(terminal, stdout, 'blue', `${shown}/`) : shown
    stdout.write(`${size.padStart(10)}  ${(modified_at ?? '').padEnd(20)}  ${label}\n`)
  }
}

export const get: RemoteAction = async (input, terminal, signal) => {
  const { files } = sessionOf(input, terminal).client
  const [path = '', target = basename(path)] = input.words
  const response = await files.download(path, { signal })
  const length = response.headers.get('Content-Length')
  const total = length === null ? undefined : Number(length)
  const bar = progressBar(terminal, basename(path), total)
  let bytes = 0
  const count = new Transform({
    transform(chunk: Buffer, _, done) {
      bar.update((bytes += chunk.length))
      done(null, chunk)
    },
  })
  const body = Readable.fromWeb(response.body as NodeStream)
  const file = target === '-' ? undefined : resolve(terminal.folder, target)
  try {
    if (file === undefined) await pipeline(body, count, terminal.stdout, { signal, end: false })
    else await intoFile(file, (out) => pipeline(body, count, out, { signal }))
  } finally {
    bar.end()
  }
  if (file === undefined) return 0
  if (input.values.json) printJson(terminal, { path, file: target, bytes })
  else terminal.stdout.write(`${target} (${sizeText(bytes)})\n`)
  return 0
}

/** Whole or not at all. */
async function intoFile(file: string, write: (out: Writable) => Promise<void>): Promise<void> {
  const part = `${file}.${process.pid}.part`
  try {
    await write(createWriteStream(part, { flags: 'wx' }))
    await rename(part, file)
  } catch (error) {
    rmSync(part, { force: true })
    const { code } = error as NodeJS.ErrnoException
    if (!/^E[A-Z]+$/.test(code ?? '')) throw error
    throw new UsageError(`${file} cannot be written (${code})`)
  }
}

export const put: RemoteAction = async (input, terminal, signal) => {
  const { files } = sessionOf(input, terminal).client
  const [source = '', given] = input.words
  if (source === '-' && given === undefined) throw new UsageError('standard input needs a PATH')
  const path = given ?? basename(source)
  const { body, size } = await bodyOf(source, terminal)
  const bar = progressBar(terminal, basename(path), size)
  const isNew = input.values.new === true
  const uploaded = await files
    .upload(path, body, { signal, isNew, onProgress: bar.update })
    .finally(bar.end)
  if (input.values.json) printJson(terminal, uploaded)
  else terminal.stdout.write(`${plain(uploaded.path)} (${sizeText(uploaded.bytes)})\n`)
  return 0
}

/** A file is read as it is sent; a pipe has no size. */
async function bodyOf(
  source: string,
  { folder, stdin }: Terminal,
): Promise<{ body: UploadBody; size?: number }> {
  if (source === '-') return { body: Readable.toWeb(stdin) as unknown as UploadBody }
  try {
    const body = await openAsBlob(resolve(folder, source))
    return { body, size: body.size }
  } catch {
    throw new UsageError(`the file ${JSON.stringify(source)} cannot be read`)
  }
}

export const remove: RemoteAction = async (input, terminal, signal) => {
  const { files } = sessionOf(input, terminal).client
  const recursive = input.values.recursive === true
  const deleted = await files.delete({ path: input.words[0]!, recursive }, { signal })
  if (input.values.json) printJson(terminal, deleted)
  else terminal.stdout.write(`${plain(deleted.path)}: ${deleted.deleted} deleted\n`)
  return 0
}

export const link: RemoteAction = async (input, terminal, signal) => {
  const { links } = sessionOf(input, terminal).client
  const { ttl, upload, json } = input.values
  if (ttl !== undefined && !/^\d+$/.test(String(ttl))) {
    throw new UsageError('--ttl must be a number of seconds')
  }
  const request = { path: input.words[0]!, ...(ttl !== undefined && { ttl_s: Number(ttl) }) }
  if (upload) {
    const made = await links.createUpload(request, { signal })
    if (json) printJson(terminal, made)
    else terminal.stdout.write(`${made.url}\n`)
    return 0
  }
  const made = await links.create(request, { signal })
  if (json) printJson(terminal, made)
  else terminal.stdout.write(`${made.link}\n`)
  return 0
}
