/** Random work on files, from Lua down to the store, against a model of POSIX: answers, contents and reports. */
import fc from 'fast-check'
import { memoryStorage } from '../../src/storage/memory.ts'
import { interceptStorage } from '../support/intercept-storage.ts'
import { runLua, storedFile } from '../support/run-lua.ts'
import { FileModel } from './file-model.ts'
import { promiseSame, propertyTarget } from './target.ts'

/** Without buffers of C's own, so that every handle sees at once what the others do. */
const SCRIPT = `
  local handles, answers = {}, {}
  local function told(ok, value, _, number)
    if not ok then return "raised" end
    if value == nil then return number and "E" .. number or "nil" end
    if io.type(value) then return "file" end
    if type(value) == "table" then return "=" .. table.concat(value, " ") end
    return "=" .. tostring(value)
  end
  local verbs = { remove = os.remove, rename = os.rename, list = io.list }
  function verbs.open(slot, path, mode)
    if handles[slot] then handles[slot]:close() end
    local handle, message, number = io.open(path, mode)
    handles[slot] = handle
    if handle then handle:setvbuf("no") end
    return handle, message, number
  end
  for i, op in ipairs(args) do
    local verb, a = op[1], op[2]
    if verbs[verb] then answers[i] = told(pcall(verbs[verb], table.unpack(op, 2)))
    elseif not handles[a] then answers[i] = "closed"
    else
      local handle = handles[a]
      if verb == "close" then handles[a] = nil end
      answers[i] = told(pcall(handle[verb], handle, table.unpack(op, 3)))
    end
  end
  return json.array(answers)
`

// The folder d is never stored beforehand: overwriting asks nobody, so a run sees only its own folders there.
const stored = fc.dictionary(
  fc.constantFrom('a', 'b', 'e/f'),
  fc.constantFrom('', '12', 'one\ntwo\n3'),
)
const path = fc.constantFrom('a', 'a', 'b', 'c', 'd', 'd/x', 'd/x/y', 'e/f', 'e/g')
const slot = fc.constantFrom(1, 2, 3)
const operation = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(
      fc.constant('open'),
      slot,
      path,
      fc.constantFrom('r', 'r+', 'w', 'w+', 'a', 'a+'),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(
      fc.constant('write'),
      slot,
      fc.constantFrom('+', 'text', 'line\n', 'x'.repeat(20)),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constant('read'), slot, fc.constantFrom('a', 'l', 1, 3, 100)),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(
      fc.constant('seek'),
      slot,
      fc.constantFrom('set', 'cur', 'end'),
      fc.constantFrom(0, 0, 1, -1, 5, -30),
    ),
  },
  { weight: 2, arbitrary: fc.tuple(fc.constant('close'), slot) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('rename'), path, path) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('remove'), path) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constant('list'), fc.constantFrom('.', 'd', 'e', 'a', 'd/x')),
  },
)

export const files = propertyTarget(
  { shortRuns: 300, longRuns: 100_000 },
  fc.asyncProperty(
    stored,
    fc.array(operation, { maxLength: 30 }),
    fc.constantFrom(true, false, false, false),
    async (texts, operations, isLate) => {
      const inner = memoryStorage()
      for (const [name, text] of Object.entries(texts)) {
        await inner.put(`area/${name}`, new TextEncoder().encode(text))
      }
      const late = () => new Promise<void>((resolve) => setTimeout(resolve))
      const storage = isLate ? interceptStorage(inner, late) : inner
      const model = new FileModel(texts)
      const expected = operations.map((one) => model.tell(one))
      const { result, error, files: rows } = await runLua(SCRIPT, { args: operations, storage })

      promiseSame(error, undefined, 'the run')
      promiseSame(result, expected, JSON.stringify(operations))
      promiseSame(rows, model.rows, 'what is reported')
      const kept: Record<string, string | null> = {}
      for await (const entry of inner.list('area/')) {
        if (entry.kind !== 'object') continue
        const name = entry.object.key.slice('area/'.length)
        kept[name] = await storedFile(inner, name)
      }
      promiseSame(kept, model.texts, 'what is stored')
    },
  ),
)
