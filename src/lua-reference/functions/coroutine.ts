/** The `coroutine` library. */
import type { LuaFunction } from '../lua-function.ts'

export const COROUTINE_FUNCTIONS: readonly LuaFunction[] = [
  {
    name: 'coroutine.create',
    signature: 'coroutine.create(f) → thread',
    summary: 'Makes a coroutine of a function; it starts with the first `coroutine.resume`.',
    example: 'return coroutine.status(coroutine.create(function() end))',
    returns: '"suspended"',
  },
  {
    name: 'coroutine.resume',
    signature: 'coroutine.resume(thread, ...) → ok, values or error',
    summary: 'Starts a coroutine or lets it go on, until it yields, ends or fails.',
    details: 'Files and APIs may be waited for inside of a coroutine as anywhere else.',
    example:
      'local thread = coroutine.create(function(a)\n  local b = coroutine.yield(a * 2)\n  return a + b\nend)\nlocal _, first = coroutine.resume(thread, 10)\nlocal _, second = coroutine.resume(thread, 5)\nreturn { first, second }',
    returns: '[20,15]',
  },
  {
    name: 'coroutine.yield',
    signature: 'coroutine.yield(...) → values',
    summary: 'Pauses the running coroutine; gives what the next `coroutine.resume` passes.',
    example:
      'local countdown = coroutine.wrap(function()\n  for i = 3, 1, -1 do coroutine.yield(i) end\nend)\nreturn { countdown(), countdown(), countdown() }',
    returns: '[3,2,1]',
  },
  {
    name: 'coroutine.wrap',
    signature: 'coroutine.wrap(f) → function',
    summary: 'A coroutine as a function: each call lets it go on, and its errors are raised.',
    example:
      'local function words(text)\n  return coroutine.wrap(function()\n    for word in text:gmatch("%a+") do coroutine.yield(word) end\n  end)\nend\nlocal found = {}\nfor word in words("to be or") do\n  table.insert(found, word)\nend\nreturn found',
    returns: '["to","be","or"]',
  },
  {
    name: 'coroutine.status',
    signature: 'coroutine.status(thread) → string',
    summary: 'Says whether it is `running`, `suspended`, `normal` or `dead`.',
    example:
      'local thread = coroutine.create(function() end)\ncoroutine.resume(thread)\nreturn coroutine.status(thread)',
    returns: '"dead"',
  },
  {
    name: 'coroutine.isyieldable',
    signature: 'coroutine.isyieldable(thread?) → boolean',
    summary: 'Whether it may yield: the main part of a script may not.',
    example: 'return { coroutine.isyieldable(), coroutine.wrap(coroutine.isyieldable)() }',
    returns: '[false,true]',
  },
  {
    name: 'coroutine.running',
    signature: 'coroutine.running() → thread, isMain',
    summary: 'The running coroutine, and whether it is the main one.',
    example: 'return select(2, coroutine.running())',
    returns: 'true',
  },
  {
    name: 'coroutine.close',
    signature: 'coroutine.close(thread) → ok, error',
    summary: 'Ends a coroutine that waits, and closes its variables marked `<close>`.',
    example:
      'local thread = coroutine.create(coroutine.yield)\ncoroutine.resume(thread)\nreturn { coroutine.close(thread), coroutine.status(thread) }',
    returns: '[true,"dead"]',
  },
]
