/** Checks error responses and failed runs for secrets and internals. */
import { keySegment } from '../../src/files/store/area.ts'

/** Shorter texts occur by chance. */
const MIN_LENGTH = 8
/** Setting values that are not secret. */
const PLAIN = new Set(['auto', 'true', 'false'])

/** Host paths, source lines and encoded key segments look the same wherever tests run. */
const PATTERNS: readonly (readonly [string, RegExp])[] = [
  ['a folder of the host', /node_modules|file:\/\//],
  ['a line of the source', /\.[cm]?[jt]s:\d/],
  ['a segment of a key', /--[a-z2-7]{26}(?![a-z2-7])/],
]

/** The secrets of one app, including those added with each token. */
export class LeakWatch {
  readonly #hidden = new Map<string, string>()

  /** @param env The app's settings: secrets, the store's location and the key prefix. */
  constructor(env: Readonly<Record<string, string>>) {
    for (const [name, value] of Object.entries(env)) {
      if (!/^(?:S3_|API_KEYS|KEY_PREFIX|\w+_SECRET$)/.test(name)) continue
      for (const part of value.split(',')) if (!PLAIN.has(part)) this.hide(name, part.trim())
    }
  }

  hide(what: string, text: string): void {
    if (text.length >= MIN_LENGTH) this.#hidden.set(text, what)
  }

  /** Also hides the tenant's key prefixes, even if its name is short. */
  async hideTenant(tenant: string): Promise<void> {
    const segment = await keySegment(tenant)
    this.hide('the name of a tenant', tenant)
    for (const area of ['users/', 'share/', 'companion/', 'default/']) {
      this.hide('the beginning of a key', `${segment}/${area}`)
    }
  }

  /** @throws if the text contains a secret. */
  assertSilent(where: string, text: string): void {
    for (const [hidden, what] of this.#hidden) {
      if (text.includes(hidden)) throw new Error(`${where} names ${what}: ${text}`)
    }
    for (const [what, pattern] of PATTERNS) {
      if (pattern.test(text)) throw new Error(`${where} names ${what}: ${text}`)
    }
  }

  /** Returns the response. A leak rejects, or ends the events with an error. */
  async watch(request: Request, response: Response): Promise<Response> {
    const { status, headers } = response
    if (status >= 400) {
      const told = [...headers].map((header) => header.join(': '))
      this.assertSilent(`a ${status}`, [...told, await response.clone().text()].join('\n'))
    }
    const type = headers.get('Content-Type') ?? ''
    const isStoredFile = new URL(request.url).pathname.startsWith('/files/')
    if (status === 200 && !isStoredFile && type.startsWith('application/json')) {
      this.#assertFailureSilent(await response.clone().text())
    }
    if (!type.startsWith('text/event-stream') || !response.body) return response
    return new Response(response.body.pipeThrough(this.#events()), response)
  }

  /** Checks only the error: everything else is the script's own data, or a link. */
  #assertFailureSilent(json: string): void {
    const { error } = JSON.parse(json) as { error?: unknown }
    if (error !== undefined) this.assertSilent('a failed run', JSON.stringify(error))
  }

  #events(): TransformStream<Uint8Array, Uint8Array> {
    const decoder = new TextDecoder()
    let pending = ''
    return new TransformStream({
      transform: (chunk, controller) => {
        const events = (pending + decoder.decode(chunk, { stream: true })).split('\n\n')
        pending = events.pop()!
        for (const event of events) {
          const [, name, data = ''] = /^event: (\w+)\ndata: (.*)$/s.exec(event) ?? []
          if (name === 'error' || name === 'result') this.#assertFailureSilent(data)
        }
        controller.enqueue(chunk)
      },
    })
  }
}
