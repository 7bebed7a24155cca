/** Sends one file to this page's own address or to the store, again if the connection breaks. */
import type { FileRow } from './file-row.ts'

type Outcome = { readonly ok: true } | (Failure & { readonly ok: false })

interface Failure {
  readonly message: string
  /** Whether a person may try once more. */
  readonly mayHelp: boolean
}

/** Of one request; `status` 0 means that there was no answer. */
interface Answer {
  readonly status: number
  readonly text: string
  readonly retryAfterS: number | undefined
}

/** Before each further try; the last is the longest that a phone is offline in a tunnel. */
const PAUSES_S = [1, 2, 4, 8, 15, 30, 60]

/** @param isDirect Whether the store takes the file itself. */
export async function sendFile(
  file: File,
  upload: string,
  row: FileRow,
  isDirect: boolean,
): Promise<Outcome> {
  const onProgress = (bytes: number) => row.progress(bytes)
  for (let tries = 0; ; tries++) {
    row.progress(0)
    const answer = isDirect
      ? await putToStore(file, upload, onProgress)
      : await send('PUT', addressOf(file, upload), headersOf(file), file, onProgress)
    if (answer.status === 201) return { ok: true }
    const mayHelp = answer.status === 0 || answer.retryAfterS !== undefined
    const pauseS = PAUSES_S[tries]
    if (!mayHelp || pauseS === undefined) {
      return { ok: false, message: messageOf(answer), mayHelp: mayHelp || answer.status >= 500 }
    }
    row.say(answer.status === 0 ? 'Connection lost. Trying again …' : 'Waiting …')
    await pause(Math.max(pauseS, answer.retryAfterS ?? 0))
  }
}

function addressOf(file: File, upload: string): string {
  const name = encodeURIComponent(file.name.replaceAll(/\p{Cs}/gu, '\ufffd'))
  return `${location.pathname}${location.search}&name=${name}&upload=${upload}`
}

function headersOf({ type }: File): Record<string, string> {
  return { 'content-type': type || 'application/octet-stream' }
}

/** The service gives an address of the store, or knows that an earlier try has arrived. */
async function putToStore(
  file: File,
  upload: string,
  onProgress: (bytes: number) => void,
): Promise<Answer> {
  const type = encodeURIComponent(file.type)
  const asked = await send('POST', `${addressOf(file, upload)}&bytes=${file.size}&type=${type}`)
  if (asked.status !== 200) return asked
  const { url, headers } = JSON.parse(asked.text) as {
    url: string
    headers: Record<string, string>
  }
  const answer = await send('PUT', url, headers, file, onProgress)
  // If the store refuses, the service knows why.
  return { ...answer, status: answer.status === 200 ? 201 : 0 }
}

/** Not `fetch`, which does not tell how much was sent. */
function send(
  method: string,
  address: string,
  headers: Record<string, string> = {},
  body?: File,
  onProgress?: (bytes: number) => void,
): Promise<Answer> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest()
    request.open(method, address)
    for (const [name, value] of Object.entries(headers)) {
      // The browser says it itself.
      if (name !== 'content-length') request.setRequestHeader(name, value)
    }
    request.upload.addEventListener('progress', ({ loaded }) => onProgress?.(loaded))
    request.addEventListener('loadend', () => {
      const after = Number(request.getResponseHeader('Retry-After') ?? Number.NaN)
      const retryAfterS = Number.isNaN(after) ? undefined : after
      resolve({ status: request.status, text: request.responseText, retryAfterS })
    })
    request.send(body)
  })
}

function messageOf({ status, text }: Answer): string {
  if (status === 0) return 'The connection is lost, or the file cannot be read.'
  try {
    return (JSON.parse(text) as { error: { message: string } }).error.message
  } catch {
    return `The server did not take it (${status}).`
  }
}

/** Ends early when the connection is back. */
function pause(seconds: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, seconds * 1000)
    addEventListener('online', end)

    function end() {
      clearTimeout(timer)
      removeEventListener('online', end)
      resolve()
    }
  })
}
