/** Random file operations, from Lua down to the store, compared with a model of POSIX. */
import fc from 'fast-check'
import { watchedStorage } from '../support/watched-storage.ts'
import { runLua } from '../support/run-lua.ts'
import { memoryWith, textsIn } from '../support/seeded-storage.ts'
import { FileModel, type Told } from './file-model.ts'
import { promiseSame, propertyTarget } from './target.ts'

/** Without buffers of C's own, so that every handle sees at once what the others do. */
export const SCRIPT = `
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

// `d` is never stored before: `w` sends no request, so a run only sees its own folders there.
export const stored = fc.dictionary(
  fc.constantFrom('a', 'b', 'e/f'),
  fc.constantFrom('', '12', 'one\ntwo\n3'),
)
const path = fc.constantFrom('a', 'a', 'b', 'c', 'd', 'd/x', 'd/x/y', 'e/f', 'e/g')
const slot = fc.constantFrom(1, 2, 3)
const mode = fc.constantFrom('r', 'r+', 'w', 'w+', 'a', 'a+')
const text = fc.constantFrom('+', 'text', 'line\n', 'x'.repeat(20))
const format = fc.constantFrom('a', 'l', 1, 3, 100)

const verb = (weight: number, name: string, ...given: fc.Arbitrary<string | number>[]) => ({
  weight,
  arbitrary: fc.tuple(fc.constant(name), ...given),
})
export const operation = fc.oneof(
  verb(4, 'open', slot, path, mode),
  verb(4, 'write', slot, text),
  verb(4, 'read', slot, format),
  verb(3, 'seek', slot, fc.constantFrom('set', 'cur', 'end'), fc.constantFrom(0, 0, 1, -1, 5, -30)),
  verb(2, 'close', slot),
  verb(2, 'rename', path, path),
  verb(2, 'remove', path),
  verb(1, 'list', fc.constantFrom('.', 'd', 'e', 'a', 'd/x')),
)

export const files = propertyTarget(
  { shortRuns: 300, longRuns: 100_000 },
  fc.asyncProperty(
    stored,
    fc.array(operation, { maxLength: 30 }),
    fc.constantFrom(true, false, false, false),
    fc.constantFrom(undefined, { partBytes: 4, singlePutBytes: 8 }),
    async (texts, operations, isLate, uploadSizes) => {
      const inner = await memoryWith(texts)
      const late = () => new Promise<void>((resolve) => setTimeout(resolve))
      const storage = isLate ? watchedStorage(inner, late) : inner
      const options = { args: operations, storage, uploadSizes }
      const { result, error, files: rows } = await runLua(SCRIPT, options)
      promiseSame(error, undefined, 'the run')

      const answers = result as Told[]
      const model = new FileModel(texts, uploadSizes?.singlePutBytes)
      const expected = operations.map((one, at) => model.tell(one, answers[at]))
      promiseSame(answers, expected, JSON.stringify(operations))
      promiseSame(inner.unfinishedUploads(), [], 'uploads left behind')
      promiseSame(rows, model.rows, 'what is reported')
      promiseSame(await textsIn(inner), model.texts, 'what is stored')
    },
  ),
)
