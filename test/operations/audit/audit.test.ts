/** Audit events: who changed which file, made, opened or revoked which link, and was refused. */
import { describe, expect, it } from 'vitest'
import { sha256Hex } from '../../auth/harness.ts'
import type { LogEvent } from '../../../src/operations/log-event.ts'
import { OPERATIONS } from '../../../src/operations/registry.ts'
import { postTo } from '../../support/call-route.ts'
import { failingStorage } from '../../support/failing-storage.ts'
import { makeApp, ORIGIN, runtimeStorage, type MakeAppOptions } from '../../support/make-app.ts'
import { makeMcp } from '../../mcp/make-mcp.ts'

const PLAIN = { AUDIT_PATHS: 'plain' }

/** An app with its events since the last look, without what all have. */
async function makeAudited(options: MakeAppOptions = {}) {
  const made = await makeApp({ ...options, env: { ...PLAIN, ...options.env } })
  const take = () =>
    made.events.splice(0).map((event) => {
      const { request_id, tenant, ...rest } = event as LogEvent & { tenant?: string }
      expect([request_id, tenant ?? made.tenant]).toEqual([expect.any(String), made.tenant])
      return rest
    })
  return { ...made, take }
}

describe('a change', () => {
  it.each<[string, object, object[]]>([
    ['fs/write', { path: './b', content: 'xx' }, [{ op: 'write', path: 'b', bytes: 2 }]],
    ['fs/edit', { path: 'a', old: '1', new: '22' }, [{ op: 'edit', path: 'a', bytes: 2 }]],
    ['fs/append', { path: 'a', content: '2' }, [{ op: 'append', path: 'a', bytes: 2 }]],
    ['fs/copy', { from: './a', to: 'b' }, [{ op: 'copy', path: 'b', from: 'a', bytes: 1 }]],
    ['fs/move', { from: 'dir/', to: 'e' }, [{ op: 'move', path: 'e', from: 'dir', bytes: 0 }]],
    ['fs/move', { from: 'none', to: 'e' }, []],
    ['fs/mkdir', { path: 'new/' }, [{ op: 'mkdir', path: 'new' }]],
    ['fs/mkdir', { path: 'dir' }, []],
    ['fs/delete', { path: 'a' }, [{ op: 'delete', path: 'a' }]],
    ['fs/delete', { path: 'gone', force: true }, []],
    ['fs/delete', { path: 'gone' }, []],
    ['fs/read', { path: 'a' }, []],
    [
      'fs/patch',
      {
        patch:
          '--- a\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n\\ No newline at end of file\n--- /dev/null\n+++ c\n@@ -0,0 +1 @@\n+3\n',
      },
      [
        { op: 'patch', path: 'a', bytes: 0 },
        { op: 'patch', path: 'c', bytes: 2 },
      ],
    ],
    [
      'reports',
      { title: 'T', content: 'x' },
      [{ op: 'reports', path: expect.stringMatching(/^output\/report_/), bytes: 6 }],
    ],
  ])('by %s of %j', async (route, body, wanted) => {
    const made = await makeAudited()
    await made.run('file.save("a", "1") file.save("dir/x", "")')
    made.take()
    await (await postTo(made, route, body)).text()
    expect(made.take()).toEqual(wanted.map((row) => ({ event: 'change', user: 'alice', ...row })))
  })

  it('by PUT, a tool and an upload link', async () => {
    const made = await makeAudited()
    await made.send('/fs/content?path=up.bin', { method: 'PUT', body: 'abc' })
    const link = (await (await postTo(made, 'links/upload', { path: 'in.csv' })).json()) as {
      url: string
    }
    const uploaded = await made.app.request(link.url, {
      method: 'PUT',
      body: 'abcd',
      headers: { 'Content-Length': '4' },
    })
    expect(uploaded.status).toBe(201)
    expect(made.take()).toEqual([
      { event: 'change', user: 'alice', op: 'put_content', path: 'up.bin', bytes: 3 },
      {
        event: 'link',
        user: 'alice',
        op: 'links/upload',
        path: 'in.csv',
        expires_at: expect.any(String),
      },
      { event: 'change', user: 'alice', op: 'upload', path: 'in.csv', bytes: 4 },
    ])
  })

  it('of a run comes before its event, file by file', async () => {
    const made = await makeAudited()
    await made.run('file.save("Share/x", "1") io.open("log", "a"):write("2"):close()')
    expect(made.take().slice(0, -1)).toEqual([
      { event: 'change', user: 'alice', op: 'write', path: 'log', bytes: 1 },
      { event: 'change', user: 'alice', op: 'write', path: 'share/x', bytes: 1 },
    ])
  })

  it('that the store did not confirm is unclear', async () => {
    const storage = failingStorage(await runtimeStorage(), ['put'])
    const made = await makeAudited({ storage })
    await postTo(made, 'fs/write', { path: './a//b', content: 'x' })
    expect(made.take()).toMatchObject([
      { event: 'change', op: 'write', path: 'a/b', outcome: 'unclear' },
      { event: 'fault' },
    ])
  })
})

describe('a link', () => {
  it('has an event when it is made, opened, revoked and refused', async () => {
    const made = await makeAudited()
    await made.run('file.save("d/a.txt", "x")')
    made.take()
    const linkTo = async (path: string) =>
      ((await (await postTo(made, 'links', { path })).json()) as { link: string }).link
    const [file, folder] = [await linkTo('d/a.txt'), await linkTo('d')]
    for (const link of [file, folder]) await (await made.app.request(link)).text()
    await made.app.request(file, { method: 'HEAD' })
    await postTo(made, 'links/revoke', { all: true })
    expect((await made.app.request(file)).status).toBe(403)
    const expires_at = expect.any(String)
    expect(made.take()).toEqual([
      { event: 'link', user: 'alice', op: 'links', path: 'd/a.txt', expires_at },
      { event: 'link', user: 'alice', op: 'links', path: 'd', expires_at },
      { event: 'opened', user: 'alice', op: 'get', path: 'd/a.txt' },
      { event: 'opened', user: 'alice', op: 'list', path: 'd' },
      { event: 'opened', user: 'alice', op: 'get', path: 'd/a.txt' },
      { event: 'link', user: 'alice', op: 'links/revoke', path: '.' },
      expect.objectContaining({ event: 'denied', reason: 'This link has been revoked.' }),
    ])
  })
})

describe('a refusal', () => {
  it('of a path outside the token is an event, over HTTP and as a tool', async () => {
    const claims = { paths: ['out'] }
    const made = await makeAudited()
    await postTo(made, 'fs/read', { path: 'in/a' }, claims)
    expect(made.take()).toMatchObject([
      { event: 'denied', status: 400, reason: 'path is not allowed', route: '/fs/read' },
    ])
    const mcp = await makeMcp()
    await mcp.call('file_read', { path: 'in/a' }, { claims })
    expect(mcp.events).toMatchObject([
      { event: 'denied', status: 200, reason: 'path is not allowed', route: '/mcp file_read' },
    ])
  })
})

describe('a refusal for lack of a quota', () => {
  it('is an event over HTTP, with its status', async () => {
    const made = await makeAudited({ env: { QUOTA_BYTES: '10', QUOTA_RUNS_DAY: '1' } })
    await postTo(made, 'fs/write', { path: 'a', content: 'more than ten bytes' })
    expect(made.take()).toMatchObject([
      { event: 'denied', status: 507, route: '/fs/write', user: 'alice' },
    ])
    await made.run('return 1')
    made.take()
    expect((await made.post({ script: 'return 1' })).status).toBe(429)
    expect(made.take()).toMatchObject([{ event: 'denied', status: 429, route: '/execute' }])
  })

  it('is one as a tool', async () => {
    const mcp = await makeMcp({ env: { QUOTA_BYTES: '10' } })
    const { isError } = await mcp.call('file_write', { path: 'a', content: 'more than ten bytes' })
    expect([isError, mcp.events]).toMatchObject([
      true,
      [{ event: 'denied', route: '/mcp file_write', user: 'alice' }],
    ])
  })
})

describe('a path', () => {
  it('is a hash unless the operator wants it plain', async () => {
    const { run, events } = await makeApp()
    await run('file.save("customer-name.txt", "x")')
    expect(events[0]).toMatchObject({ path_sha256: await sha256Hex('customer-name.txt') })
    expect(JSON.stringify(events)).not.toContain('customer')
  })
})

it('every operation that may write has an event', () => {
  const audited = OPERATIONS.filter(
    ({ audit, scopes, hints }) => audit ?? (scopes.includes('files:write') && !hints.readOnly),
  )
  const silent = OPERATIONS.filter((operation) => !audited.includes(operation))
  expect(silent.filter(({ hints }) => !hints.readOnly).map(({ name }) => name)).toEqual([
    // Runs have their own event, and a cancelled one that says so.
    'execute',
    'start_run',
    'run_saved_script',
    'cancel_run',
  ])
})

it('an unknown address is no event', async () => {
  const { app, events } = await makeApp()
  await app.request(`${ORIGIN}/nothing`)
  expect(events).toEqual([])
})
