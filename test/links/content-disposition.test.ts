/** Names of files in headers. */
import { expect, it } from 'vitest'
import { contentDisposition } from '../../src/links/file-link.ts'

it.each([
  ['output/rows.csv', `filename="rows.csv"; filename*=UTF-8''rows.csv`],
  ['a b;c.txt', `filename="a b;c.txt"; filename*=UTF-8''a%20b%3Bc.txt`],
  ['été.md', `filename="_t_.md"; filename*=UTF-8''%C3%A9t%C3%A9.md`],
  ['日本😀', `filename="___"; filename*=UTF-8''%E6%97%A5%E6%9C%AC%F0%9F%98%80`],
  ['ſtem\u212a', `filename="_tem_"; filename*=UTF-8''%C5%BFtem%E2%84%AA`],
  ['a"b\\c', `filename="a_b_c"; filename*=UTF-8''a%22b%5Cc`],
  ["it's (1)*", `filename="it's (1)*"; filename*=UTF-8''it%27s%20%281%29%2A`],
  ['100%.txt', `filename="100%.txt"; filename*=UTF-8''100%25.txt`],
  ['a%2Fb%2fc', `filename="a_2Fb_2fc"; filename*=UTF-8''a%252Fb%252fc`],
  [
    'a\r\nSet-Cookie: b\0',
    `filename="a__Set-Cookie: b_"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20b%00`,
  ],
])('names %j as %s', (path, names) => {
  expect(contentDisposition('inline', path)).toBe(`inline; ${names}`)
  expect(contentDisposition('attachment', path)).toBe(`attachment; ${names}`)
})
