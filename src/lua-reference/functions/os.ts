/** `os`: time, and files as a whole. */
import type { LuaFunction } from '../lua-function.ts'

export const OS_FUNCTIONS: readonly LuaFunction[] = [
  {
    name: 'os.time',
    signature: 'os.time(table?) → integer',
    summary: 'Seconds since 1970: now, or at the date in a table.',
    details:
      'The table has `year`, `month` and `day`, and may have `hour` (12 unless given), `min` and `sec`.',
    differs: 'The time zone is UTC.',
    example: 'return os.time({ year = 2026, month = 11, day = 16, hour = 9 })',
    returns: '1794819600',
  },
  {
    name: 'os.date',
    signature: 'os.date(format?, time?) → string or table',
    summary: 'A time as text, by a format of C; `*t` gives a table of its parts.',
    differs:
      'The time zone is UTC, with and without `!`. Years beyond 2^31 give nonsense instead of an error.',
    example: 'return { os.date("%Y-%m-%d %H:%M", 1794819600), os.date("*t", 1794819600).year }',
    returns: '["2026-11-16 09:00",2026]',
  },
  {
    name: 'os.clock',
    signature: 'os.clock() → number',
    summary: 'How much the script has computed so far, in seconds.',
    differs:
      'Counts fuel, about 250 million units a second, because clocks stand still on Workers while code computes. Waiting takes none.',
    example: 'local start = os.clock()\nfor _ = 1, 1e5 do end\nreturn os.clock() > start',
    returns: 'true',
  },
  {
    name: 'os.difftime',
    signature: 'os.difftime(later, earlier) → number',
    summary: 'The seconds between two times.',
    example: 'return os.difftime(1794819600, 1794816000)',
    returns: '3600',
  },
  {
    name: 'os.remove',
    signature: 'os.remove(path) → true or nil, message, number',
    summary: 'Deletes a file.',
    details: 'A missing file gives `nil`, a message and the number 2.',
    differs:
      'A folder raises `os.remove cannot delete directories`, as it is gone with its last file.',
    example:
      'io.open("tmp/a.txt", "w"):close()\nreturn { os.remove("tmp/a.txt"), (select(2, os.remove("tmp/a.txt"))) }',
    returns: '[true,"tmp/a.txt: No such file or directory"]',
  },
  {
    name: 'os.rename',
    signature: 'os.rename(from, to) → true or nil, message, number',
    summary: 'Gives a file another name, also in another folder.',
    details: 'What had that name is replaced. In `files_touched` it is a `remove` and a `write`.',
    example:
      'io.open("draft.txt", "w"):write("x"):close()\nreturn { os.rename("draft.txt", "output/final.txt"), io.list("output")[1] }',
    returns: '[true,"final.txt"]',
  },
  {
    name: 'os.tmpname',
    signature: 'os.tmpname() → string',
    summary: 'A path that no other run uses.',
    differs:
      'It is `tmp/lua_` and an id, and no file is made. Remove it before the end, or it is stored like any other.',
    example: 'return os.tmpname():match("^tmp/lua_%x+$") ~= nil',
    returns: 'true',
  },
]
