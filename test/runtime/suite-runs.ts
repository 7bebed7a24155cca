/** Scripts in a runtime: what they return, log and store, how they fail, and what is seen of them meanwhile. */
import { describe, expect, it } from 'vitest'
import type { Caller } from '../support/caller.ts'
import { fetchAnew } from '../support/fetch-anew.ts'

export function describeRuns(caller: Caller): void {
  const { run, send, store } = caller

  describe('a run', () => {
    it('answers with result, logs and files', async () => {
      const answer = await run(
        'results',
        `print("working")
         local f = io.open("./output//rows.csv", "w")
         for i = 1, args.rows do f:write(i, "\\n") end
         f:close()
         io.open("gone.txt", "w"):close()
         os.remove("gone.txt")
         return {rows = args.rows, bytes = "\\0\\u{e9}"}`,
        { args: { rows: 3 } },
      )
      expect(answer).toEqual({
        result: { rows: 3, bytes: '\0é' },
        logs: ['working'],
        files_touched: [
          { name: 'gone.txt', op: 'remove', bytes: 0 },
          {
            name: 'output/rows.csv',
            op: 'write',
            bytes: 6,
            url: expect.stringMatching(/^http.*rows\.csv\?/),
            url_expires_at: expect.any(String),
            link: expect.stringContaining(caller.at('/files/out?path=output/rows.csv&token=')),
            expires_at: expect.any(String),
          },
        ],
      })
      for (const address of [answer.files_touched[1]!.url!, answer.files_touched[1]!.link!]) {
        const response = await fetchAnew(address)
        const type = response.headers.get('Content-Type')
        expect([await response.text(), type]).toEqual(['1\n2\n3\n', 'text/csv; charset=utf-8'])
      }
    })

    it('has whole numbers as they were sent', async () => {
      const body = '{"script": "return {args, tostring(args)}", "args": 9007199254740993}'
      const response = await send('exact', '/execute', { method: 'POST', body })
      expect(await response.json()).toEqual({
        result: ['9007199254740993', '9007199254740993'],
        logs: [expect.stringMatching(/^warning: /)],
        files_touched: [],
      })
    })

    it('takes a script as large as one may be', async () => {
      const script = 'return #args --'.padEnd(1_048_576, 'x')
      const answer = await run('large', script, { args: 'é'.repeat(1_000_000) })
      expect(answer.result).toBe(2_000_000)
    })

    it.each<[string, string, object, string]>([
      ['syntax', 'return =', {}, "script:1: unexpected symbol near '='"],
      ['runtime', 'error("on purpose")', {}, 'script:1: on purpose'],
      ['runtime', 'io.open("../x")', {}, "script:1: path cannot contain '..' traversal"],
      [
        'fuel',
        'while true do end',
        { fuel: 1_000_000 },
        'out of fuel: the script used all of its 1000000 units',
      ],
      ['memory', 'return #("x"):rep(2^26)', { memory_bytes: 4_194_304 }, 'not enough memory'],
      ['timeout', 'while true do end', { timeout_ms: 200 }, 'the script ran longer than 200 ms'],
      [
        'limit',
        'io.open("a", "w"):write("12345")',
        { write_bytes: 4 },
        'script:1: I/O write limit exceeded (4 bytes)',
      ],
      [
        'result',
        'local t = {} t[1] = t return t',
        {},
        'the result is not JSON: a table contains itself',
      ],
    ])('that ends by %s says so: %s', async (kind, script, limits, message) => {
      const { error, result } = await run('failures', script, { limits })
      expect([error?.kind, error?.message, result]).toEqual([kind, message, null])
    })

    it('keeps what it stored when it fails', async () => {
      const script = 'io.open("kept.txt", "w"):write("kept"):close() error("later")'
      const { files_touched: rows, error } = await run('kept', script)
      expect([error?.kind, rows[0]?.name, rows[0]?.bytes]).toEqual(['runtime', 'kept.txt', 4])
      expect((await run('kept', 'return io.open("kept.txt"):read("a")')).result).toBe('kept')
    })

    it('tells what it logs before it is over', async () => {
      const script = `
        print("begun")
        repeat for i = 1, 1000000 do end until #(io.list("share") or {}) > 0
        return "seen"`
      const response = await send('streams', '/execute', {
        method: 'POST',
        headers: { Accept: 'text/event-stream' },
        body: JSON.stringify({ script }),
      })
      expect(response.headers.get('Content-Type')).toBe('text/event-stream; charset=utf-8')
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
      let events = ''
      while (!events.includes('event: log\ndata: {"line":"begun"}\n\n')) {
        events += (await reader.read()).value!
      }
      // It waits for this.
      await store('streams', { 'share/go': '' })
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        events += read.value
      }
      const answer = '{"result":"seen","logs":["begun"],"files_touched":[]}'
      expect(events).toContain(`event: result\ndata: ${answer}\n\nevent: stats\ndata: {"fuel":`)
    })
  })
}
