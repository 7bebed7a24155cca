/**
 * The script of an upload link's page: sends files as they are chosen or dropped, with progress.
 */
import { toHex } from '../../lib/encode.ts'
import { countOf } from '../workbench/page/format.ts'
import { fileRow, type FileRow } from './file-row.ts'
import { sendFile } from './send-file.ts'

/** Two at once: the next begins while the store confirms the last. */
const MAX_AT_ONCE = 2

const form = document.querySelector('form')!
const input = form.querySelector('input')!
const zone = form.querySelector('.zone')!
const list = document.querySelector('#files')!
const status = document.querySelector('#status')!
const isFolder = 'folder' in form.dataset
const maxBytes = Number(form.dataset.bytes)

const waiting: (() => Promise<void>)[] = []
let active = 0
let chosen = 0
let sent = 0
let failed = 0

function start(): void {
  form.querySelector<HTMLElement>('.plain')!.hidden = true
  form.querySelector<HTMLElement>('.hint')!.hidden = false
  input.required = false
  input.addEventListener('change', () => {
    add([...(input.files ?? [])])
    // So that the same file can be chosen again.
    input.value = ''
  })
  addEventListener('dragover', (event) => {
    event.preventDefault()
    zone.classList.add('over')
  })
  addEventListener('dragleave', () => zone.classList.remove('over'))
  addEventListener('drop', (event) => {
    event.preventDefault()
    zone.classList.remove('over')
    if (event.dataTransfer && !form.hidden) drop(event.dataTransfer)
  })
  addEventListener('beforeunload', (event) => {
    if (active > 0) event.preventDefault()
  })
}

/** A folder looks like a file that cannot be read. */
function drop({ items }: DataTransfer): void {
  const dropped = [...items].filter(({ kind }) => kind === 'file')
  const plain = dropped.filter((item) => !item.webkitGetAsEntry()?.isDirectory)
  add(plain.flatMap((item) => item.getAsFile() ?? []))
  if (plain.length < dropped.length) say('Folders cannot be sent. Choose the files in them.')
}

function add(files: readonly File[]): void {
  const taken = isFolder ? files : files.slice(0, 1)
  if (taken.length === 0) return
  if (!isFolder) {
    list.replaceChildren()
    chosen = failed = 0
    form.hidden = true
  }
  for (const file of taken) {
    chosen++
    // The same for each try: it is stored once.
    const upload = toHex(crypto.getRandomValues(new Uint8Array(16)))
    const row = fileRow(file, () => queue(file, upload, row))
    list.append(row.element)
    queue(file, upload, row)
  }
}

function queue(file: File, upload: string, row: FileRow): void {
  if (file.size > maxBytes) return fail(row, 'It is larger than this link accepts.', false)
  waiting.push(async () => {
    const outcome = await sendFile(file, upload, row, 'direct' in form.dataset)
    if (outcome.ok) {
      sent++
      row.done()
    } else fail(row, outcome.message, outcome.mayHelp)
  })
  next()
}

function fail(row: FileRow, message: string, mayRetry: boolean): void {
  failed++
  row.fail(message, mayRetry ? () => failed-- : undefined)
  if (!isFolder) form.hidden = false
  report()
}

function next(): void {
  report()
  while (active < MAX_AT_ONCE && waiting.length > 0) {
    active++
    void waiting.shift()!().finally(() => {
      active--
      next()
    })
  }
}

function report(): void {
  const isOver = active === 0 && waiting.length === 0
  const rest = failed === 0 ? '' : ` ${failed} not sent.`
  if (!isOver) say(`${sent} of ${countOf(chosen, 'file')} sent.${rest}`)
  else if (failed > 0) say(`${countOf(sent, 'file')} sent.${rest}`)
  else say(`Done: ${countOf(sent, 'file')} sent. You may close this page.`)
}

function say(text: string): void {
  status.textContent = text
}

start()
