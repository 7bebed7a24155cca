/** The module for Python against the service, and its retries against one that fails. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { serveApp } from '../site/serve-app.ts'
import { valueOf } from './run-python.ts'

const service = await serveApp()
const token = await service.tokenOf()
afterAll(() => service.stop())

describe('the module for Python', () => {
  it('passes bytes, odd names, large files and many entries unchanged', async () => {
    const program = `
odd = "a b+c/é 日本 %41#?&.bin"
data = bytes(range(256)) * 40000
with open("local", "wb") as file: file.write(data)
sent = client.files.upload("local", odd)
size = client.files.download(odd, "back")
for n in range(3): client.files.write(f"many/{n}", str(n))
client.run('for n = 1, 1100 do file.save("many/x" .. n, "") end')
with open("back", "rb") as file: same = file.read() == data
print(json.dumps([sent["path"] == odd, sent["bytes"], size, same, client.files.read(odd) == data,
  len(list(client.files.list("many"))), sorted(os.listdir("."))]))`
    expect(await valueOf(program, service.origin, token)).toEqual([
      true,
      10_240_000,
      10_240_000,
      true,
      true,
      1103,
      ['back', 'local'],
    ])
  })

  it('raises an error of its own for each kind of failure', async () => {
    const program = `
def failing(work):
  try: work()
  except MoonbucketError as error:
    return [type(error).__name__, getattr(error, "status", None), getattr(error, "code", None)]
def script_error():
  try: client.run("file.save('a', 'x')\\nprint('seen')\\nerror('odd')")
  except ScriptError as error:
    return [error.kind, error.line, error.run.logs, [f["name"] for f in error.run.files]]
bad = Moonbucket(token="nobody")
unchecked = client.run("error('x')", check=False)
print(json.dumps([
  failing(lambda: client.files.read("../x")),
  failing(lambda: client.files.read("nowhere")),
  failing(lambda: client.run(5)),
  failing(lambda: bad.run("return 1")),
  failing(lambda: client.files.list("no-folder").__next__()),
  failing(lambda: Moonbucket("http://127.0.0.1:1", retries=0).run("return 1")),
  failing(lambda: client.files.download("nowhere", "target")), os.listdir("."),
  script_error(), unchecked.error["kind"],
]))`
    expect(await valueOf(program, service.origin, token)).toEqual([
      ['InvalidRequest', 400, 'invalid_path'],
      ['NotFound', 404, 'not_found'],
      ['InvalidRequest', 422, 'invalid_request'],
      ['Unauthenticated', 401, 'unauthenticated'],
      ['NotFound', 404, 'not_found'],
      ['ConnectionFailed', null, null],
      ['NotFound', 404, 'not_found'],
      [],
      ['runtime', 3, ['seen'], ['a']],
      'runtime',
    ])
  })

  it('yields events while the script runs, and ends the run when it is left', async () => {
    const program = `
names = []
for event in client.stream("print(args.n) file.save('e', 'x') error('late')", {"n": 7}):
  names.append([event.name, event.data.get("line"), "error" in event.data])
stream = client.stream("for n = 1, 1e9 do print(n) end")
first = next(stream)
stream.close()
print(json.dumps([names, first.data]))`
    expect(await valueOf(program, service.origin, token)).toEqual([
      [
        ['log', '7', false],
        ['file', null, false],
        ['result', null, true],
        ['stats', null, false],
      ],
      { line: '1' },
    ])
  })
})

describe('the retries of the module for Python', () => {
  type Answer = (request: IncomingMessage, response: ServerResponse) => void

  /** A server that answers each request in turn, and the requests that it got. */
  async function serve(...answers: Answer[]) {
    const got: string[] = []
    const server = createServer((request, response) => {
      const { 'idempotency-key': key, authorization } = request.headers
      got.push(
        [request.method, request.url, key, authorization && 'token'].filter(Boolean).join(' '),
      )
      request
        .resume()
        .on('end', () => (answers.length > 1 ? answers.shift() : answers[0])!(request, response))
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    return {
      url: `http://127.0.0.1:${port}`,
      got,
      [Symbol.asyncDispose]: async () => void server.close(),
    }
  }
  const done: Answer = (_, response) =>
    response.end('{"result": 1, "logs": [], "files_touched": [], "data": {"path": "a"}}')
  const drop: Answer = (_, response) => void response.destroy()
  const refuse =
    (status: number, after?: string): Answer =>
    (_, response) => {
      response.writeHead(status, { ...(after && { 'Retry-After': after }) })
      response.end('{"error": {"code": "busy", "message": "Later."}}')
    }
  const half: Answer = (_, response) => {
    response.writeHead(200, { 'Content-Length': '10' })
    response.write('12345', () => response.destroy())
  }
  const outcome = (work: string) => `
try: value = ${work}
except MoonbucketError as error: value = type(error).__name__
print(json.dumps(value))`

  it.each<[string, Answer[], string, unknown, number]>([
    ['a busy service', [refuse(503, '0'), refuse(429, '0'), done], 'client.run("x").result', 1, 3],
    ['a service that stays busy', [refuse(503, '0')], 'client.run("x").result', 'Unavailable', 4],
    ['a long wait', [refuse(429, '3600'), done], 'client.run("x").result', 'RateLimited', 1],
    ['no time to wait', [refuse(503), done], 'client.run("x").result', 'Unavailable', 1],
    ['a run that may have begun', [drop, done], 'client.run("x").result', 'ConnectionFailed', 1],
    ['a run with a key', [drop, done], 'client.run("x", key="k").result', 1, 2],
    ['a write', [drop, done], 'client.files.write("a", "x")["path"]', 'a', 2],
    ['half a file', [half, done], 'len(client.files.read("a")) > 10', true, 2],
    [
      'an answer that is no JSON',
      [(_, r) => r.writeHead(502).end('<p>')],
      'client.run("x")',
      'RequestRefused',
      1,
    ],
  ])('after %s', async (_, answers, work, value, requests) => {
    await using server = await serve(...answers)
    expect(await valueOf(outcome(work), server.url, token)).toBe(value)
    expect(server.got).toHaveLength(requests)
    expect(new Set(server.got).size).toBe(1)
  })

  it('never follow a redirect, which would give the token away', async () => {
    await using other = await serve(done)
    await using server = await serve((_, response) =>
      response.writeHead(307, { Location: other.url }).end(),
    )
    expect(await valueOf(outcome('client.run("x").result'), server.url, token)).toBe(
      'RequestRefused',
    )
    expect([server.got, other.got]).toEqual([['POST /execute token'], []])
  })

  it('give up on a service that says nothing', async () => {
    await using server = await serve(() => {})
    const work = `Moonbucket(timeout=0.2, retries=1).files.read("a")`
    expect(await valueOf(outcome(work), server.url, token)).toBe('ConnectionFailed')
    expect(server.got).toHaveLength(2)
  })
})
