/** Server-sent events of a response. */

/** As they come; stopping early closes the stream. Heartbeat comments are left out. */
export async function* readEvents(
  response: Response,
): AsyncGenerator<readonly [name: string, data: unknown]> {
  const decoder = new TextDecoder()
  const reader = response.body!.getReader() as ReadableStreamDefaultReader<Uint8Array>
  let text = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const events = (text + decoder.decode(value, { stream: true })).split('\n\n')
      text = events.pop()!
      for (const event of events) {
        const [, name, data] = /^event: (\w+)\ndata: (.*)$/s.exec(event) ?? []
        if (name !== undefined) yield [name, JSON.parse(data!)]
      }
    }
  } finally {
    await reader.cancel()
  }
}

/** All that is left of an iterable. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
