/** Runs in the background as a model starts, awaits, lists and cancels them. */
import { describe, expect, it } from 'vitest'
import { runQueued } from '../../src/operations/runs/run-queued.ts'
import { testQueue, type Run } from '../support/run-queue.ts'
import { makeMcp } from './make-mcp.ts'

async function makeRunsMcp() {
  const queue = testQueue()
  const made = await makeMcp({ runQueue: queue })
  const call = <T>(name: string, args: object) => made.call<T>(name, { ...args })

  async function start(script: string, fields: object = {}): Promise<Run> {
    const { structuredContent } = await call<{ run: Run }>('execute_script', {
      script,
      background: true,
      ...fields,
    })
    return structuredContent.run
  }

  const deliver = async () => {
    for (const ref of queue.sent.splice(0)) await runQueued(made.service, ref)
  }

  return { ...made, call, start, deliver }
}

describe('a model', () => {
  it('starts a run, waits for it and gets what execute_script would answer', async () => {
    const { start, deliver, call } = await makeRunsMcp()
    const run = await start('print("x") file.save("output/a.txt", "abc") return {n = 1}')
    expect(run).toMatchObject({ id: expect.any(String) as string, status: 'queued' })
    await deliver()
    const answer = await call<Run>('get_run', { id: run.id, wait: 30 })
    expect(answer.isError).toBeUndefined()
    expect(answer.structuredContent).toMatchObject({
      status: 'succeeded',
      answer: {
        result: { n: 1 },
        logs: ['x'],
        files_touched: [{ name: 'output/a.txt', bytes: 3 }],
      },
    })
    const { files_touched } = answer.structuredContent.answer!
    expect(files_touched[0]).not.toHaveProperty('url')
    expect(answer.content[1]).toMatchObject({
      type: 'resource_link',
      uri: files_touched[0]!.link,
      size: 3,
    })
    expect(JSON.parse(answer.content[0]!.text!)).toEqual(answer.structuredContent)
  })

  it('passes arguments exactly', async () => {
    const { start, deliver, call } = await makeRunsMcp()
    const { id } = await start('return args.n', { args: { n: 1 } })
    await deliver()
    const { structuredContent } = await call<Run>('get_run', { id })
    expect(structuredContent.answer!.result).toBe(1)
  })

  it('gets long results and logs as files', async () => {
    const { start, deliver, call } = await makeRunsMcp()
    const { id } = await start('for i = 1, 2000 do print("line " .. i) end return ("x"):rep(20000)')
    await deliver()
    const { structuredContent } = await call<Run>('get_run', { id })
    const names = structuredContent.answer!.files_touched.map(({ name }) => name)
    expect(names).toEqual([
      expect.stringMatching(/^output\/logs_/),
      expect.stringMatching(/^output\/result_/),
    ])
    expect(JSON.stringify(structuredContent).length).toBeLessThan(8000)
  })

  it('gets the end of what a program started, within its limits', async () => {
    const { post, deliver, call } = await makeRunsMcp()
    const script = 'for i = 1, 2000 do print("line " .. i) end return ("x"):rep(200000)'
    const response = await post({ script, background: true })
    const { run } = (await response.json()) as { run: Run }
    await deliver()
    const { structuredContent } = await call<Run>('get_run', { id: run.id })
    const { logs, result } = structuredContent.answer!
    expect(logs.at(-1)).toBe('line 2000')
    expect(logs[0]).toMatch(/earlier lines are left out/)
    expect(result).toBe(`"${'x'.repeat(1999)}`)
    expect(JSON.stringify(structuredContent).length).toBeLessThan(25_000)
  })

  it('lists and cancels runs', async () => {
    const { start, call } = await makeRunsMcp()
    const { id } = await start('')
    const listed = await call<{ runs: Run[] }>('list_runs', { status: 'queued' })
    expect(listed.structuredContent.runs.map((run) => run.id)).toEqual([id])
    const cancelled = await call<Run>('cancel_run', { id })
    expect(cancelled.structuredContent).toMatchObject({ id, status: 'cancelled' })
  })

  it('learns that there is no such run', async () => {
    const { call } = await makeRunsMcp()
    for (const name of ['get_run', 'cancel_run']) {
      const { isError, content } = await call(name, { id: 'x' })
      expect([isError, content[0]!.text]).toEqual([true, 'There is no such run.'])
    }
  })

  it('cannot start one in the background where there are none', async () => {
    const { call, ask } = await makeMcp()
    const { isError, content } = await call('execute_script', { script: '', background: true })
    expect(isError).toBe(true)
    expect(content[0]!.text).toContain('does not support background runs')
    expect(
      (await ask('tools/call', { name: 'get_run', arguments: { id: 'x' } })).answer.error,
    ).toMatchObject({
      message: expect.stringContaining('Unknown tool') as string,
    })
  })

  it('is not understood by headers of its message', async () => {
    const { result } = await makeRunsMcp()
    const headers = { Prefer: 'respond-async', 'Idempotency-Key': 'x' }
    const ask = () =>
      result<{ structuredContent: { result: string } }>(
        'tools/call',
        { name: 'execute_script', arguments: { script: 'return os.tmpname()' } },
        { headers },
      )
    const [first, second] = [await ask(), await ask()]
    expect(first.structuredContent.result).not.toBe(second.structuredContent.result)
  })
})
