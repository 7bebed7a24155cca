/** Makes upload links, and sends files to them as programs and browsers do. */
import { postTo, type Callable } from './call-route.ts'
import type { Claims } from './make-app.ts'

export async function dropLinkFor(
  made: Callable,
  body: object = {},
  claims: Claims = {},
): Promise<string> {
  const response = await postTo(made, 'links/upload', { path: 'inbox/', ...body }, claims)
  if (!response.ok) throw new Error(await response.text())
  return ((await response.json()) as { url: string }).url
}

type Sending = Pick<Callable, 'app'>

/** With its length, as a program sends it. */
export async function putFile(
  { app }: Sending,
  url: string,
  name: string,
  text: string,
  query = '',
): Promise<Response> {
  const length = new TextEncoder().encode(text).length
  return app.request(`${url}&name=${encodeURIComponent(name)}${query}`, {
    method: 'PUT',
    body: text,
    headers: { 'Content-Length': String(length) },
  })
}

/** A body that ends when the test wants it to, or breaks. */
export function openBody(text: string) {
  let control: ReadableStreamDefaultController<Uint8Array>
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      control = controller
      controller.enqueue(new TextEncoder().encode(text))
    },
  })
  return {
    stream,
    end: (rest: string) => {
      control.enqueue(new TextEncoder().encode(rest))
      control.close()
    },
    break: () => control.error(new Error('gone')),
  }
}

const BOUNDARY = '----boundary7MA4YWxk'

/** As browsers write forms; names are not escaped further. */
export function formOf(files: readonly (readonly [name: string, text: string])[]): string {
  const parts = files.map(
    ([name, text]) =>
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n` +
      `Content-Type: application/octet-stream\r\n\r\n${text}\r\n`,
  )
  return `${parts.join('')}--${BOUNDARY}--\r\n`
}

export async function postForm(
  { app }: Sending,
  url: string,
  body: string,
  headers: Record<string, string> = { Accept: 'text/html' },
): Promise<Response> {
  const length = new TextEncoder().encode(body).length
  return app.request(url, {
    method: 'POST',
    body,
    headers: {
      'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`,
      'Content-Length': String(length),
      ...headers,
    },
  })
}
