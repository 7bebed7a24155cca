/** `os`: time, files as a whole, and the end of a script. */
import { library } from '../lua-function.ts'

export const OS = library({
  name: 'os',
  title: 'Time and files',
  summary: 'Time in UTC, and files as a whole.',
  functions: [
    {
      signature: 'os.time(table?) → integer',
      summary: 'Seconds since 1970: now, or at the date in a table.',
      details:
        'The table has `year`, `month` and `day`, and optionally `hour` (12 by default), `min` and `sec`.',
      differs: 'The time zone is UTC.',
      example: 'return os.time({ year = 2026, month = 11, day = 16, hour = 9 })',
      returns: '1794819600',
    },
    {
      signature: 'os.date(format?, time?) → string or table',
      summary: 'Formats a time with a C format string; `*t` returns a table of its fields.',
      differs:
        'The time zone is UTC, with and without `!`. Years beyond 2^31 give a wrong result instead of an error.',
      example: 'return { os.date("%Y-%m-%d %H:%M", 1794819600), os.date("*t", 1794819600).year }',
      returns: '["2026-11-16 09:00",2026]',
    },
    {
      signature: 'os.clock() → number',
      summary: 'The computing time of the script so far, in seconds.',
      differs:
        'Counts fuel, about 250 million units a second, because clocks on Workers stop while code runs. Waiting does not count.',
      example: 'local start = os.clock()\nfor _ = 1, 1e5 do end\nreturn os.clock() > start',
      returns: 'true',
    },
    {
      signature: 'os.difftime(later, earlier) → number',
      summary: 'The number of seconds between two times.',
      example: 'return os.difftime(1794819600, 1794816000)',
      returns: '3600',
    },
    {
      signature: 'os.remove(path) → true or nil, message, number',
      summary: 'Deletes a file.',
      details: 'A missing file returns `nil`, a message and the number 2.',
      differs:
        'A folder raises `os.remove cannot delete directories`: it disappears with its last file.',
      example:
        'io.open("tmp/a.txt", "w"):close()\nreturn { os.remove("tmp/a.txt"), (select(2, os.remove("tmp/a.txt"))) }',
      returns: '[true,"tmp/a.txt: No such file or directory"]',
    },
    {
      signature: 'os.rename(from, to) → true or nil, message, number',
      summary: 'Renames a file or moves it to another folder.',
      details: 'An existing file is replaced. `files_touched` lists a `remove` and a `write`.',
      example:
        'io.open("draft.txt", "w"):write("x"):close()\nreturn { os.rename("draft.txt", "output/final.txt"), io.list("output")[1] }',
      returns: '[true,"final.txt"]',
    },
    {
      signature: 'os.tmpname() → string',
      summary: 'A path that no other run uses.',
      differs:
        'It is `tmp/lua_` and an id; no file is created. If you create it, remove it before the end, or it is stored like any other file.',
      example: 'return os.tmpname():match("^tmp/lua_%x+$") ~= nil',
      returns: 'true',
    },
    {
      signature: 'os.exit(status?)',
      summary: 'Ends the run at once, without a result; nothing can catch it.',
      details:
        'Without a status, or with `true` or 0, the run has succeeded. Anything else ends it with an error of the kind `runtime`. Files are stored as at any end.',
      differs: 'Nothing of the script runs afterwards, whatever the second argument.',
      example: 'print("done")\nos.exit()\nprint("never printed")',
      prints: ['done'],
    },
    {
      signature: 'os.getenv(name) → nil',
      summary: 'Always `nil`: there is no environment.',
      differs: 'Pass what the script needs in `args`.',
      example: 'return os.getenv("HOME") == nil',
      returns: 'true',
    },
    {
      signature: 'os.setlocale(locale?, category?) → "C" or nil',
      summary: 'Returns `"C"` for that locale and without one, otherwise `nil`.',
      differs: 'The locale is always C: numbers have a point, strings sort by bytes.',
      example: 'return { os.setlocale(), os.setlocale("de_DE") == nil }',
      returns: '["C",true]',
    },
  ],
})
