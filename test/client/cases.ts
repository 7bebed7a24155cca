/** What the client does with a service: each case in Node, workerd and a browser. */
import type * as Client from '../../src/client/index.ts'
import type { Moonbucket, MoonbucketError, RunEvent } from '../../src/client/index.ts'

export interface ClientCase {
  run(client: Moonbucket, env: CaseEnv): Promise<unknown>
  /** As JSON. */
  readonly expected: unknown
}

interface CaseEnv {
  /** The source, or the package. */
  readonly lib: typeof Client
  /** Whose token is refused. */
  readonly stranger: Moonbucket
}

const text = (length: number) => 'a'.repeat(length)

export const CASES: Readonly<Record<string, ClientCase>> = {
  'runs a script with args': {
    run: async (client) => {
      const script = 'print("hi") return args.a + args.b'
      const { result, logs, error } = await client.run<number>(script, { args: { a: 1, b: 2 } })
      return { result, logs, error }
    },
    expected: { result: 3, logs: ['hi'] },
  },

  'sends args as they are written': {
    run: async (client) => {
      const script = 'return string.format("%d", args.n)'
      return (await client.run(script, { argsJson: '{"n": 9007199254740993}' })).result
    },
    expected: '9007199254740993',
  },

  'gives the answer of a script that failed': {
    run: async (client, { lib: { orThrow, ScriptFailed } }) => {
      const answer = await client.run('file.save("kept.txt", "1") error("no", 0)')
      const thrown = await throwing(async () => orThrow(answer))
      const isTyped = thrown instanceof ScriptFailed && thrown.answer === answer
      return { error: answer.error?.message, isTyped, files: answer.files_touched.length }
    },
    expected: { error: 'no', isTyped: true, files: 1 },
  },

  'streams events, and the answer last': {
    run: async (client) => {
      const script = 'print("one") file.save("streamed.txt", "abc") print("two") return 2'
      const events = (await taken(client.stream(script))).map(brief)
      // A file comes once it is stored.
      return [...events.slice(0, -1).toSorted(), events.at(-1)]
    },
    expected: ['file streamed.txt', 'log one', 'log two', 'answer 2 with stats'],
  },

  'stops a script by leaving its stream': {
    run: async (client) => {
      for await (const event of client.stream('print("on") while true do end')) return brief(event)
    },
    expected: 'log on',
  },

  'follows a run in the background': {
    run: async (client) => {
      const run = await client.background('print("one") return args.n', { args: { n: 7 } })
      const ended = await run.wait()
      const events = (await taken(run.events())).map(brief)
      const again = await client.follow(run.id).wait()
      const listed = (await client.runs.list()).runs.some(({ id }) => id === run.id)
      const isSame = again.id === run.id
      return { status: ended.status, result: ended.answer?.result, events, isSame, listed }
    },
    expected: {
      status: 'succeeded',
      result: 7,
      events: ['log one', 'answer 7 with stats'],
      isSame: true,
      listed: true,
    },
  },

  'cancels a run': {
    run: async (client) => {
      const run = await client.background('while true do end')
      const { id } = await run.cancel()
      return [id === run.id, (await run.wait()).status]
    },
    expected: [true, 'cancelled'],
  },

  'writes, reads, changes and deletes files': {
    run: async ({ files }) => {
      await files.write({ path: 'dir/a.txt', content: 'one\n' })
      await files.append({ path: 'dir/a.txt', content: 'two\n' })
      await files.edit({ path: 'dir/a.txt', old: 'one', new: '1' })
      await files.copy({ from: 'dir/a.txt', to: 'dir/b.txt' })
      await files.move({ from: 'dir/b.txt', to: 'dir/c.txt' })
      const { content } = await files.read({ path: 'dir/c.txt' })
      const { entries } = await files.list({ path: 'dir' })
      const found = await files.find({ pattern: 'dir/*.txt' })
      const { bytes, type } = await files.info({ path: 'dir/a.txt' })
      await files.delete({ path: 'dir/a.txt' })
      const { exists } = await files.exists({ path: 'dir/a.txt' })
      const names = entries.map(({ name }) => name)
      return { content, names, found: found.entries.length, bytes, type, exists }
    },
    expected: {
      content: '1\ntwo\n',
      names: ['a.txt', 'c.txt'],
      found: 2,
      bytes: 6,
      type: 'file',
      exists: false,
    },
  },

  'uploads a blob with progress, and downloads it': {
    run: async ({ files }) => {
      const progress: number[] = []
      const onProgress = (bytes: number) => void progress.push(bytes)
      const body = new Blob([text(300_000)])
      const { bytes } = await files.upload('up/blob.bin', body, { onProgress })
      const part = await files.download('up/blob.bin', { range: [299_998] })
      const whole = await files.download('up/blob.bin')
      const isWhole = (await whole.text()) === text(300_000)
      return { bytes, last: progress.at(-1), part: await part.text(), isWhole }
    },
    expected: { bytes: 300_000, last: 300_000, part: 'aa', isWhole: true },
  },

  'uploads a stream of a known size': {
    run: async ({ files }) => {
      const body = new Blob([text(200_000), 'b']).stream()
      const { bytes } = await files.upload('up/stream.bin', body, { size: 200_001 })
      return [bytes, (await files.info({ path: 'up/stream.bin' })).bytes]
    },
    expected: [200_001, 200_001],
  },

  'replaces only the version it means': {
    run: async ({ files }) => {
      const { etag } = await files.upload('v.txt', 'one', { isNew: true })
      const exists = await throwing(() => files.upload('v.txt', 'two', { isNew: true }))
      await files.upload('v.txt', 'three', { ifMatch: etag })
      const stale = await throwing(() => files.upload('v.txt', 'four', { ifMatch: etag }))
      return [codeOf(exists), codeOf(stale), await (await files.download('v.txt')).text()]
    },
    expected: ['412 precondition_failed', '412 precondition_failed', 'three'],
  },

  'lists and runs saved scripts': {
    run: async (client) => {
      const content = '--- Adds.\n---@param a integer One.\nreturn args.a + 1'
      await client.files.write({ path: 'scripts/math/add.lua', content })
      const { scripts } = await client.scripts.list()
      const { result } = await client.scripts.run({ name: 'math/add', args: { a: 1 } })
      const wrong = await throwing(() => client.scripts.run({ name: 'math/add', args: {} }))
      return [scripts.map(({ name }) => name), result, codeOf(wrong)]
    },
    expected: [['math/add'], 2, '422 invalid_request'],
  },

  'asks for keys, which need a scope': {
    run: async ({ keys }) => [
      codeOf(await throwing(() => keys.list())),
      codeOf(await throwing(() => keys.create({ name: 'k' }))),
      codeOf(await throwing(() => keys.revoke({ id: 'k' }))),
    ],
    expected: ['403 forbidden', '403 forbidden', '403 forbidden'],
  },

  'makes links that open without a token': {
    run: async (client) => {
      await client.files.write({ path: 'page.txt', content: 'hello' })
      const { link } = await client.links.create({ path: 'page.txt' })
      const { method } = await client.links.createUpload({ path: 'inbox/x.txt' })
      const { path } = await client.links.revoke({ path: 'page.txt' })
      return { hasToken: link.includes('token='), method, path }
    },
    expected: { hasToken: true, method: 'PUT', path: 'page.txt' },
  },

  'saves reports and tells usage': {
    run: async (client) => {
      const { path } = await client.reports.save({ title: 'T', content: '# T' })
      return [path.endsWith('.md'), await client.usage()]
    },
    expected: [true, {}],
  },

  'throws what the service refuses': {
    run: async ({ files }, { stranger, lib }) => {
      const missing = await throwing(() => files.read({ path: 'none.txt' }))
      const outside = await throwing(() => files.read({ path: '../up' }))
      const unknown = await throwing(() => stranger.usage())
      const known = missing instanceof lib.MoonbucketError && typeof missing.requestId === 'string'
      return [codeOf(missing), known, codeOf(outside), codeOf(unknown)]
    },
    expected: ['404 not_found', true, '400 invalid_path', '401 unauthenticated'],
  },

  'ends with its signal': {
    run: async (client) => {
      const reason = new Error('enough')
      const signal = AbortSignal.abort(reason)
      const thrown = await Promise.all([
        throwing(() => client.run('return 1', { signal })),
        throwing(() => client.files.read({ path: 'a' }, { signal })),
        throwing(() => client.files.upload('a', 'a', { signal, onProgress: () => undefined })),
        throwing(() => taken(client.stream('return 1', { signal }))),
      ])
      return thrown.map((error) => error === reason)
    },
    expected: [true, true, true, true],
  },
}

async function taken(events: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const all: RunEvent[] = []
  for await (const event of events) all.push(event)
  return all
}

function brief(event: RunEvent): string {
  if (event.type === 'log') return `log ${event.line}`
  if (event.type === 'file') return `file ${event.file.name}`
  if (event.type === 'ended') return `ended ${event.run.status}`
  return `answer ${String(event.answer.result)}${event.stats ? ' with stats' : ''}`
}

async function throwing(action: () => Promise<unknown>): Promise<unknown> {
  try {
    await action()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

function codeOf(error: unknown): string {
  const { status, code } = error as MoonbucketError
  return `${status} ${code}`
}
