/** Reads `multipart/form-data` (RFC 7578) part by part, without buffering their bodies. */

export interface FormPart {
  /** Absent for a field that is no file. */
  readonly fileName?: string | undefined
  readonly contentType?: string | undefined
  /** How long the body is, if this is the last part. */
  readonly bytesIfLast?: number | undefined
  /** What is left of it is skipped with the next part. */
  readonly body: ReadableStream<Uint8Array>
}

/** The body is no form, or breaks off. */
export class MalformedForm extends Error {}

/** Enough for a name of any length that a store takes. */
const MAX_HEADER_BYTES = 16_384
/** Each costs far more than its bytes. */
const MAX_PARTS = 2_000
const HEADERS_END = new TextEncoder().encode('\r\n\r\n')
const LINE_END = '\r\n'
/** Browsers take an answer before the end of their body for a broken connection. */
const MAX_EPILOGUE_BYTES = 65_536
/** After the boundary: two dashes and a line end, as all browsers write it. */
const CLOSING_BYTES = 4

/** Of the header `Content-Type`; `undefined` for other types. */
export function boundaryOf(contentType: string | undefined): string | undefined {
  const [, quoted, plain] =
    /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))(?=\s*(?:;|$))/i.exec(
      contentType ?? '',
    ) ?? []
  return quoted ?? plain
}

/**
 * @param bytes Of the whole body, if known.
 * @throws {MalformedForm}
 */
export async function* formParts(
  source: ReadableStream<Uint8Array>,
  boundary: string,
  bytes?: number,
): AsyncGenerator<FormPart> {
  const delimiter = new TextEncoder().encode(`\r\n--${boundary}`)
  const input = new Input(source)
  try {
    // What precedes the first boundary means nothing.
    await skip(input.until(delimiter))
    let parts = 0
    for (let next = await input.take(2); next !== '--'; next = await input.take(2)) {
      if (next !== LINE_END) throw new MalformedForm('a boundary does not end its line')
      if (++parts > MAX_PARTS) throw new MalformedForm('there are too many parts')
      const headers = await headersOf(input)
      const left = bytes === undefined ? undefined : bytes - input.position
      const body = input.until(delimiter)
      yield {
        ...headers,
        bytesIfLast: left && Math.max(0, left - delimiter.length - CLOSING_BYTES),
        body: streamOf(body),
      }
      await skip(body)
    }
    await input.skipEpilogue()
  } finally {
    await input.cancel()
  }
}

async function skip(chunks: AsyncGenerator<Uint8Array>): Promise<void> {
  while (!(await chunks.next()).done);
}

async function headersOf(input: Input) {
  // Without headers, the line end after the boundary is the first of two.
  input.putBack(LINE_END)
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of input.until(HEADERS_END)) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > MAX_HEADER_BYTES) throw new MalformedForm('headers are too long')
  }
  const headers = new Map<string, string>()
  for (const line of text.split('\r\n')) {
    const [, name, value] = /^([^:]+):\s*(.*)$/.exec(line) ?? []
    if (name !== undefined) headers.set(name.toLowerCase(), value!)
  }
  const [, written] = /;\s*filename="([^"]*)"/i.exec(headers.get('content-disposition') ?? '') ?? []
  return { fileName: written && unescaped(written), contentType: headers.get('content-type') }
}

/** Browsers escape nothing else. */
function unescaped(name: string): string {
  return name.replaceAll(/%(22|0D|0A)/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
}

function streamOf(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
    },
    { highWaterMark: 0 },
  )
}

/** A stream that can be read up to a mark. */
class Input {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  /** Read, but not taken. The first boundary needs no line end before it. */
  #rest = new Uint8Array(new TextEncoder().encode('\r\n'))
  #readBytes = 0

  constructor(source: ReadableStream<Uint8Array>) {
    this.#reader = source.getReader()
  }

  /** How much was taken. */
  get position(): number {
    return this.#readBytes - this.#rest.length
  }

  /** Everything before the mark, which is taken too. */
  async *until(mark: Uint8Array): AsyncGenerator<Uint8Array> {
    for (;;) {
      const at = indexOf(this.#rest, mark)
      if (at !== -1) {
        const before = this.#rest.subarray(0, at)
        this.#rest = this.#rest.subarray(at + mark.length)
        if (before.length > 0) yield before
        return
      }
      // Its end may be the start of the mark.
      const sure = this.#rest.length - mark.length + 1
      if (sure > 0) {
        const before = this.#rest.subarray(0, sure)
        this.#rest = this.#rest.subarray(sure)
        yield before
      }
      await this.#read()
    }
  }

  async take(length: number): Promise<string> {
    while (this.#rest.length < length) await this.#read()
    const taken = new TextDecoder().decode(this.#rest.subarray(0, length))
    this.#rest = this.#rest.subarray(length)
    return taken
  }

  putBack(text: string): void {
    this.#rest = joined(new TextEncoder().encode(text), this.#rest)
  }

  async skipEpilogue(): Promise<void> {
    for (let left = MAX_EPILOGUE_BYTES; left > 0;) {
      const { done, value } = await this.#reader.read()
      if (done) return
      left -= value.length
    }
  }

  cancel(): Promise<void> {
    return this.#reader.cancel().catch(() => undefined)
  }

  async #read(): Promise<void> {
    const { done, value } = await this.#reader.read().catch((cause: unknown) => {
      throw new MalformedForm('the form breaks off', { cause })
    })
    if (done) throw new MalformedForm('the form ends before its last boundary')
    this.#readBytes += value.length
    this.#rest = joined(this.#rest, value)
  }
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}

function indexOf(bytes: Uint8Array, mark: Uint8Array): number {
  const last = bytes.length - mark.length
  for (let at = bytes.indexOf(mark[0]!); at !== -1 && at <= last;) {
    let i = 1
    while (i < mark.length && bytes[at + i] === mark[i]) i++
    if (i === mark.length) return at
    at = bytes.indexOf(mark[0]!, at + 1)
  }
  return -1
}
