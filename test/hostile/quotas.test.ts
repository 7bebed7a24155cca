/** Attempts to get around quotas, or at what others use. */
import { describe, expect, it } from 'vitest'
import { makeQuotaApp } from '../usage/make-quota-app.ts'

describe('claims', () => {
  it.each([-1, 1.5, 1e300, 2 ** 53, '1000', '', null, true, [], {}, ['5'], -0.5])(
    'refuses a quota of %j',
    async (quota) => {
      const app = await makeQuotaApp({})
      for (const claim of [
        'quota_bytes',
        'quota_objects',
        'quota_runs_day',
        'quota_api_bytes_day',
      ]) {
        const response = await app.post({ script: 'return 1' }, {}, { [claim]: quota })
        expect(response.status).toBe(403)
        expect(await response.text()).toContain(`${claim} must be a whole number from 0`)
      }
    },
  )

  it('only lower the quotas of the settings', async () => {
    const app = await makeQuotaApp({ QUOTA_BYTES: 500, QUOTA_RUNS_DAY: 2 })
    expect((await app.write('a', 501, { quota_bytes: 999_999 })).status).toBe(507)
    expect((await app.write('a', 101, { quota_bytes: 100 })).status).toBe(507)
    expect((await app.write('a', 100, { quota_bytes: 100 })).status).toBe(200)
    const run = (claims: object) => app.post({ script: 'return 1' }, {}, { ...claims })
    expect((await run({ quota_runs_day: 0 })).status).toBe(429)
    expect((await run({ quota_runs_day: 900 })).status).toBe(200)
    expect((await run({ quota_runs_day: 900 })).status).toBe(200)
    expect((await run({ quota_runs_day: 900 })).status).toBe(429)
  })

  it('of 0 let nothing in', async () => {
    const app = await makeQuotaApp({})
    expect((await app.write('a', 1, { quota_bytes: 0 })).status).toBe(507)
    expect((await app.write('a', 0, { quota_objects: 0 })).status).toBe(507)
  })

  it('go with an upload link, and cannot be taken out of it', async () => {
    const app = await makeQuotaApp({})
    const made = await app.send(
      '/links/upload',
      {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"path": "in.txt", "content_type": "text/plain"}',
      },
      { quota_bytes: 50 },
    )
    const { url } = (await made.json()) as { url: string }
    const upload = async (body: string) => {
      const headers = { 'Content-Type': 'text/plain', 'Content-Length': String(body.length) }
      return (await app.app.request(url, { method: 'PUT', body, headers })).status
    }
    expect(await upload('x'.repeat(51))).toBe(507)
    expect(await upload('x'.repeat(50))).toBe(201)
  })

  it('in the body or in headers are nothing', async () => {
    const app = await makeQuotaApp({ QUOTA_BYTES: 10 })
    const script = 'io.open("a", "w"):write(("x"):rep(20)):close()'
    const body = await app.post({ script, quota_bytes: 1000 })
    expect(body.status).toBe(422)
    const answer = await app.post({ script }, { 'quota-bytes': '1000', 'x-quota-bytes': '1000' })
    expect(((await answer.json()) as { error: { kind: string } }).error.kind).toBe('limit')
  })
})

describe('what is counted', () => {
  it('is out of reach of every path', async () => {
    const app = await makeQuotaApp({ QUOTA_BYTES: 1000, QUOTA_RUNS_DAY: 50 })
    await app.write('a.txt', 900)
    const names = await app.marks()
    expect(names.length).toBeGreaterThan(1)
    const tries = names.flatMap((name) => [
      `usage/${name}`,
      `../usage/${name}`,
      `share/../usage/${name}`,
      `../../${app.tenant}/usage/${name}`,
      `/usage/${name}`,
    ])
    const script = `
      for _, path in ipairs(args) do
        pcall(os.remove, path)
        pcall(os.rename, path, "got")
        pcall(function() io.open(path, "r"):read("a") end)
      end
      return io.list("usage")
    `
    await app.run(script, { args: tries })
    for (const path of tries) await app.remove(path)
    const after = await app.marks()
    expect(after).toEqual(expect.arrayContaining(names))
    expect((await app.write('b.txt', 200)).status).toBe(507)
  })

  it('is not changed by files that are named like marks', async () => {
    const app = await makeQuotaApp({ QUOTA_BYTES: 1000 })
    const mark = 'usage/stored/mark-0000000000000000-900-1-999'
    expect((await app.write(mark, 10)).status).toBe(200)
    expect((await app.write('usage/stored/base-0000000000000000-0-0', 10)).status).toBe(200)
    expect((await app.usage()).stored_bytes.used).toBe(20)
    expect((await app.write('b', 900)).status).toBe(200)
  })

  it('belongs to one tenant, however it is named', async () => {
    const app = await makeQuotaApp({ QUOTA_BYTES: 100, QUOTA_RUNS_DAY: 1 })
    const names = [app.tenant, `${app.tenant}/usage`, `${app.tenant}.`, `${app.tenant}--x`, 'usage']
    for (const tenant of names) {
      expect((await app.write('a', 100, { tenant })).status).toBe(200)
      expect((await app.post({ script: 'return 1' }, {}, { tenant })).status).toBe(200)
      expect((await app.usage({ tenant })).stored_bytes.used).toBe(100)
      expect((await app.usage({ tenant })).runs_today.used).toBe(1)
    }
  })

  it('stays the same for a script that tries again and again', async () => {
    const app = await makeQuotaApp({ QUOTA_BYTES: 1000 })
    const answer = await app.run(`
      for i = 1, 200 do
        pcall(function() io.open("f" .. i, "w"):write(("x"):rep(2000)):close() end)
        io.list()
      end
    `)
    expect(answer.error?.kind).toBe('limit')
    expect(await app.filesOf()).toEqual({ bytes: 0, objects: 0 })
    // Not one mark for each.
    expect(app.requests.length).toBeLessThan(30)
  })
})
