/** Values that only a weak table holds, while there is no memory left to encode them. */
import { expect, it } from 'vitest'
import { runLua } from '../support/run-lua.ts'

/** Garbage, then so little memory that encoding has to make some. */
const script = (kib: number, rest: string) => `
  collectgarbage('stop')
  local weak = setmetatable({}, { __mode = 'v' })
  for i = 1, 20 do
    weak[i] = {}
    for j = 1, 400 do weak[i]['key' .. j] = { ('v'):rep(200) .. j } end
  end
  local filler = {}
  while collectgarbage('count') < ${kib} do filler[#filler + 1] = ('x'):rep(65536 - #filler) end
  for i = 2, #filler, 2 do filler[i] = nil end
  ${rest}`

/** Never what was in their place afterwards. */
const WHOLE = /^(?:\{\}|\[(?:null|\{(?:"key\d+":\["v{200}\d+"\],?)+\}|,)*\])$/

it.each([6_200, 6_500, 6_800, 7_000, 7_200])(
  'are whole or gone in JSON, with %i KiB in use',
  async (kib) => {
    const limits = { memoryBytes: 8 * 1024 * 1024 }
    const encoded = await runLua(
      script(kib, 'local text = json.encode(weak) filler = nil return text'),
      { limits },
    )
    expect(encoded.error).toBeUndefined()
    expect(encoded.result).toMatch(WHOLE)
    const returned = await runLua(script(kib, 'return weak'), { limits })
    expect([returned.error, JSON.stringify(returned.result)]).toEqual([
      undefined,
      expect.stringMatching(WHOLE),
    ])
  },
)
