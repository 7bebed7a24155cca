/** Parses server-sent events as the service writes them. */

export interface ServerEvent {
  readonly name: string
  readonly data: string
  /** Its position in a stream that can be resumed. */
  readonly id?: string | undefined
}

/** In batches: a chunk may hold thousands. Skips heartbeat comments. */
export async function* readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<ServerEvent[]> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const end = value.lastIndexOf('\n\n')
      // A long event spans many chunks: avoid rescanning before its end.
      if (end < 0 && !(rest.endsWith('\n') && value.startsWith('\n'))) {
        rest += value
        continue
      }
      const text = rest + value
      const complete = text.lastIndexOf('\n\n')
      rest = text.slice(complete + 2)
      yield text
        .slice(0, complete)
        .split('\n\n')
        .flatMap((block) => parseEvent(block) ?? [])
    }
  } finally {
    // Whoever stops reading closes the connection, which ends the run.
    await reader.cancel().catch(() => undefined)
  }
}

function parseEvent(block: string): ServerEvent | null {
  const [, id, name, data] = /^(?:id: (.*)\n)?event: (\w+)\ndata: (.*)$/s.exec(block) ?? []
  return name === undefined ? null : { name, data: data!, id }
}
