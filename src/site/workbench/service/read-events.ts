/** Reads server-sent events from an answer, in the one form that the service writes them. */

export interface ServerEvent {
  readonly name: string
  readonly data: string
}

/** Batches, because one chunk may hold thousands of events. Comments, which only keep a connection open, are left out. */
export async function* readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<ServerEvent[]> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const end = value.lastIndexOf('\n\n')
    // A long event comes in many chunks: nothing is searched again until its end is there.
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
}

function parseEvent(block: string): ServerEvent | null {
  const [, name, data] = /^event: (\w+)\ndata: (.*)$/s.exec(block) ?? []
  return name === undefined ? null : { name, data: data! }
}
