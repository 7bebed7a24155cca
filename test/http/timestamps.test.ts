/** Times in answers have one form everywhere. */
import { expect, it } from 'vitest'
import { makeMcp } from '../mcp/make-mcp.ts'
import { postTo } from '../support/call-route.ts'
import { ORIGIN } from '../support/make-app.ts'
import { collect, readEvents } from '../support/read-events.ts'

const NOW = new Date('2026-11-16T10:00:00.750Z')
const FORM = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/

/** Every value of a field whose name says that it is a time. */
function timesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const isTime = /(?:_at|^lastModified)$/.test(name) && typeof inner === 'string'
    return isTime ? [inner] : timesIn(inner)
  })
}

it('all times in answers are to the second', async () => {
  const made = await makeMcp({ now: () => NOW })
  const post = async (route: string, body: object) => (await postTo(made, route, body)).json()
  const run = await made.run('file.save("out/a.md", "x")')
  const folder = (await post('links', { path: 'out' })) as { link: string }
  const answers: Record<string, unknown> = {
    run,
    link: await post('links', { path: 'out/a.md' }),
    folder,
    upload: await post('links/upload', { path: 'out/b' }),
    report: await post('reports', { title: 'T', content: 'x' }),
    list: await post('fs/list', { path: 'out' }),
    info: await post('fs/info', { path: 'out/a.md' }),
    find: await post('fs/find', { pattern: '**/*' }),
    'the folder itself': await (await made.app.request(folder.link)).json(),
    execute_script: await made.call('execute_script', { script: 'file.save("c", "")' }),
    folder_list: await made.call('folder_list', { path: 'out' }),
    get_file_link: await made.call('get_file_link', { path: 'c' }),
    save_result_page: await made.call('save_result_page', { title: 'T', content: 'x' }),
    resources: await made.result('resources/list'),
  }
  const events = await made.post({ script: 'file.save("d", "")' }, { Accept: 'text/event-stream' })
  answers.events = await collect(readEvents(events))
  for (const [name, answer] of Object.entries(answers)) {
    const times = timesIn(answer)
    expect([name, times.length > 0]).toEqual([name, true])
    expect([name, times.filter((time) => !FORM.test(time))]).toEqual([name, []])
  }
})

it('the page of a folder has the same times as its JSON', async () => {
  const made = await makeMcp({ now: () => NOW })
  await made.run('file.save("out/a.md", "x")')
  const { link } = (await (await postTo(made, 'links', { path: 'out' })).json()) as { link: string }
  expect(link.startsWith(ORIGIN)).toBe(true)
  const json = (await (await made.app.request(link)).json()) as object
  const page = await (await made.app.request(link, { headers: { Accept: 'text/html' } })).text()
  const shown = [...page.matchAll(/datetime="([^"]*)"/g)].map(([, time]) => time)
  expect(shown.sort()).toEqual(timesIn(json).sort())
})
