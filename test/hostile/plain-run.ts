/** A run with a bit of everything, to show that what came before it left nothing behind. */
import { runLua, type LuaRunOptions } from '../support/run-lua.ts'

const PLAIN = `
  local squares = {}
  for i = 1, 5 do squares[i] = i * i end
  table.sort(squares, function(a, b) return a > b end)
  local yields = coroutine.wrap(function() coroutine.yield('yielded') end)
  local _, caught = pcall(error, 'raised')
  local f <close> = io.open('plain.txt', 'w+')
  f:write('one\\n', 2, '\\n'):seek('set')
  print(f:read('l', 'n'))
  return { squares, yields(), caught, ('x'):rep(3), left == nil }`

/** What {@link plainRun} answers unless something is broken. */
export const PLAIN_RUN = {
  result: [[25, 16, 9, 4, 1], 'yielded', 'raised', 'xxx', true],
  logs: ['one\t2'],
  files: [{ name: 'plain.txt', op: 'write', bytes: 6 }],
}

/** Runs it in a VM of its own and keeps what {@link PLAIN_RUN} foretells. */
export async function plainRun(options: LuaRunOptions = {}) {
  const { fuelUsed: _, memoryBytes: __, ...outcome } = await runLua(PLAIN, options)
  return outcome
}
