/** `POST /execute`, from the request to the answer. */
import { describe, expect, it } from 'vitest'
import { makeApp } from '../support/make-app.ts'

describe('a run', () => {
  it('answers with result, logs and files that open', async () => {
    const { app, run } = await makeApp()
    const answer = await run(
      `
      print("working")
      local f = io.open("output/a.txt", "w")
      f:write("hello ", args.name)
      f:close()
      return {rows = 3}`,
      { args: { name: 'Ann' } },
    )
    expect(answer).toEqual({
      result: { rows: 3 },
      logs: ['working'],
      files_touched: [
        {
          name: 'output/a.txt',
          op: 'write',
          bytes: 9,
          url: expect.any(String),
          url_expires_at: expect.any(String),
          link: expect.any(String),
          expires_at: expect.any(String),
        },
      ],
    })
    const { url, link } = answer.files_touched[0]!
    for (const address of [url!, link!]) {
      expect(await (await app.request(address)).text()).toBe('hello Ann')
    }
  })
})
