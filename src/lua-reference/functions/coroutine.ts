/** The `coroutine` library. */
import { library } from '../lua-function.ts'

export const COROUTINE = library({
  name: 'coroutine',
  title: 'Coroutines',
  summary: 'Functions that can pause and continue; the same as in stock Lua.',
  functions: [
    {
      signature: 'coroutine.create(f) → thread',
      summary: 'Creates a coroutine from a function; the first `coroutine.resume` starts it.',
      example: 'return coroutine.status(coroutine.create(function() end))',
      returns: '"suspended"',
    },
    {
      signature: 'coroutine.resume(thread, ...) → ok, values or error',
      summary: 'Starts or continues a coroutine until it yields, returns or fails.',
      details: 'A coroutine can wait for files and APIs like any other code.',
      example:
        'local thread = coroutine.create(function(a)\n  local b = coroutine.yield(a * 2)\n  return a + b\nend)\nlocal _, first = coroutine.resume(thread, 10)\nlocal _, second = coroutine.resume(thread, 5)\nreturn { first, second }',
      returns: '[20,15]',
    },
    {
      signature: 'coroutine.yield(...) → values',
      summary: 'Pauses the running coroutine; returns what the next `coroutine.resume` passes.',
      example:
        'local countdown = coroutine.wrap(function()\n  for i = 3, 1, -1 do coroutine.yield(i) end\nend)\nreturn { countdown(), countdown(), countdown() }',
      returns: '[3,2,1]',
    },
    {
      signature: 'coroutine.wrap(f) → function',
      summary:
        'Returns a function that continues the coroutine at each call and raises its errors.',
      example:
        'local function words(text)\n  return coroutine.wrap(function()\n    for word in text:gmatch("%a+") do coroutine.yield(word) end\n  end)\nend\nlocal found = {}\nfor word in words("to be or") do\n  table.insert(found, word)\nend\nreturn found',
      returns: '["to","be","or"]',
    },
    {
      signature: 'coroutine.status(thread) → string',
      summary: 'Returns `running`, `suspended`, `normal` or `dead`.',
      example:
        'local thread = coroutine.create(function() end)\ncoroutine.resume(thread)\nreturn coroutine.status(thread)',
      returns: '"dead"',
    },
    {
      signature: 'coroutine.isyieldable(thread?) → boolean',
      summary: 'Whether it can yield: the main part of a script cannot.',
      example: 'return { coroutine.isyieldable(), coroutine.wrap(coroutine.isyieldable)() }',
      returns: '[false,true]',
    },
    {
      signature: 'coroutine.running() → thread, isMain',
      summary: 'The running coroutine, and whether it is the main one.',
      example: 'return select(2, coroutine.running())',
      returns: 'true',
    },
    {
      signature: 'coroutine.close(thread) → ok, error',
      summary: 'Ends a suspended coroutine and closes its `<close>` variables.',
      example:
        'local thread = coroutine.create(coroutine.yield)\ncoroutine.resume(thread)\nreturn { coroutine.close(thread), coroutine.status(thread) }',
      returns: '[true,"dead"]',
    },
  ],
})
