/** `debug`: facts about functions and calls. */
import { library } from '../lua-function.ts'

export const DEBUG = library({
  name: 'debug',
  title: 'Debugging',
  summary: 'Facts about functions and calls.',
  functions: [
    {
      signature: 'debug.traceback(thread?, message?, level?) → string',
      summary: 'The calls that led here, as text after the message.',
      details:
        'Useful as the handler of `xpcall`. An error that ends a run has its traceback anyway.',
      example:
        'local ok, text = xpcall(function()\n  error("boom")\nend, debug.traceback)\nreturn text:match("[^\\n]*\\n[^\\n]*")',
      returns: '"script:2: boom\\nstack traceback:"',
    },
    {
      signature: 'debug.getinfo(thread?, function or level, what?) → table or nil',
      summary: 'Where a function is defined and what is running at a level of the stack.',
      details:
        'Fields such as `source`, `short_src`, `currentline`, `linedefined`, `what`, `name` and `nparams`; `what` selects them by letters, as in stock Lua. Level 1 is the function that asks, 2 the one that called it.',
      differs: '`func` is there only for a function that was passed, not for a level.',
      example:
        'local function line()\n  return debug.getinfo(2, "l").currentline\nend\nreturn { line(), debug.getinfo(1, "S").short_src }',
      returns: '[4,"script"]',
    },
  ],
})
