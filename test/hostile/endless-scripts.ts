/** Scripts that never end by themselves, by what they hide in. */

/** By title: what goes on for ever. */
type Scripts = Readonly<Record<string, string>>

/** What makes Lua call each metamethod of `x`. */
const METHODS = {
  __index: 'local y = x.y',
  __newindex: 'x.y = 1',
  __eq: 'local y = x == {}',
  __lt: 'local y = x < x',
  __le: 'local y = x <= x',
  __concat: 'local y = x .. ""',
  __len: 'local y = #x',
  __call: 'x()',
  __unm: 'local y = -x',
  __add: 'local y = 1 + x',
  __shl: 'local y = x << 1',
  __tostring: 'tostring(x)',
  __pairs: 'for k in pairs(x) do end',
}

function loopingMethods(): Scripts {
  const scripts = Object.entries(METHODS).map(([name, use]) => [
    `a ${name}`,
    `local x = setmetatable({}, { ${name} = function() while true do end end }) ${use}`,
  ])
  return Object.fromEntries(scripts) as Scripts
}

/** Every script leaves `closed.txt`, `open.txt` and one log line as its frame made them. */
export const ENDLESS_SCRIPTS: Readonly<Record<string, Scripts>> = {
  loops: {
    'an empty while': 'while true do end',
    'an empty repeat': 'repeat until false',
    'a goto': '::again:: goto again',
    'a numeric for': 'for i = 1, math.maxinteger do end',
    'a numeric for over floats': 'for i = 1.0, math.huge do end',
    'a generic for': 'for _ in function() return 1 end do end',
    'a tail call': 'local function f() return f() end f()',
    'two tail calls': 'local f, g f = function() return g() end g = function() return f() end f()',
    'a tail call of a method': 'local t = {} function t:f(...) return self:f(...) end t:f(1, 2, 3)',
    'a recursion that comes back':
      'local function f(n) if n > 0 then f(n - 1) end end while true do f(100) end',
    'a loop that makes garbage': 'while true do local t = { {}, {} } end',
    'a loop that makes closures': 'while true do local x local f = function() return x end end',
    'a loop with a variable to be closed': 'while true do local x <close> = nil end',
  },
  'protected calls': {
    'pcall around a loop': 'while true do pcall(function() while true do end end) end',
    'pcall of an error': 'while true do pcall(error, {}) end',
    'pcall in pcall': 'while true do pcall(pcall, pcall, pcall, error, "x") end',
    'pcall called by pcall': 'local function f() while true do pcall(f) end end f()',
    'an error for every call': 'local function f() error(f) end while true do pcall(f) end',
    'a stack overflow': 'local function f() return 1 + f() end while true do pcall(f) end',
    'xpcall around a loop': 'while true do xpcall(function() while true do end end, print) end',
    'a handler': 'xpcall(error, function() while true do end end)',
    'a handler that raises': 'while true do xpcall(error, function() error("again") end) end',
    'a handler that calls xpcall':
      'local function h() xpcall(error, h) while true do end end xpcall(error, h)',
    'errors with a position': 'local function f(x) return x.y.z end while true do pcall(f, {}) end',
    assert: 'while true do pcall(assert, false, {}) end',
  },
  coroutines: {
    'fifty coroutines in each other': `local function nest(n)
       if n == 0 then while true do end end
       return coroutine.resume(coroutine.create(nest), n - 1)
     end
     while true do nest(50) end`,
    'a chain of wraps': `local function nest(n) if n > 0 then return coroutine.wrap(nest)(n - 1) end while true do end end
     while true do pcall(nest, 50) end`,
    'fifty short coroutines, again and again': `local function nest(n) if n > 0 then coroutine.wrap(nest)(n - 1) end end
     while true do nest(50) end`,
    'a coroutine that yields':
      'local f = coroutine.wrap(function() while true do coroutine.yield() end end) while true do f() end',
    'a coroutine that yields through pcall': `local f = coroutine.wrap(function() while true do pcall(coroutine.yield) end end)
     while true do f() end`,
    'coroutines left suspended':
      'while true do coroutine.wrap(function() coroutine.yield() end)() end',
    'resume of a dead coroutine':
      'local c = coroutine.create(print) coroutine.close(c) while true do coroutine.resume(c) end',
    'resume around a loop':
      'while true do coroutine.resume(coroutine.create(function() while true do end end)) end',
    'close of a coroutine whose __close loops': `local c = coroutine.create(function()
       local x <close> = setmetatable({}, { __close = function() while true do end end })
       coroutine.yield()
     end)
     coroutine.resume(c)
     coroutine.close(c)`,
    'close of coroutines whose __close raises': `local raises = setmetatable({}, { __close = error })
     while true do
       local c = coroutine.create(function() local x <close> = raises coroutine.yield() end)
       coroutine.resume(c)
       coroutine.close(c)
     end`,
    'questions about coroutines':
      'while true do coroutine.status(coroutine.running()) coroutine.isyieldable() end',
  },
  callbacks: {
    'a comparator': 'table.sort({ 1, 2, 3 }, function() while true do end end)',
    'comparators without order':
      'local t = { 3, 1, 2, 5, 4 } while true do pcall(table.sort, t, function() return true end) end',
    'a random comparator':
      'local t = {} for i = 1, 500 do t[i] = i end while true do pcall(table.sort, t, function() return math.random() < 0.5 end) end',
    'a comparator that raises': 'while true do pcall(table.sort, { 1, 2 }, error) end',
    sorting: 'local t = {} while true do for i = 1, 1000 do t[i] = -i end table.sort(t) end',
    'a callback of gsub': ';("abc"):gsub(".", function() while true do end end)',
    'gsub with callbacks': 'while true do ("abc"):rep(100):gsub(".", function(c) return c end) end',
    'a reader of load': 'load(function() while true do end end)',
    'a reader of load that gives blanks': 'load(function() return " " end)',
    'a reader of load that gives a comment':
      'load(coroutine.wrap(function() coroutine.yield("--") while true do coroutine.yield("x") end end))',
    'a reader of load that gives statements':
      'while true do load(function() return "a = 1 " end) end',
  },
  'finalizers and collections': {
    'a finalizer': 'setmetatable({}, { __gc = function() while true do end end }) collectgarbage()',
    'a finalizer that no call asked for':
      'setmetatable({}, { __gc = function() while true do end end }) while true do local t = {} end',
    'finalizers that make new ones':
      'local mt = {} function mt.__gc() setmetatable({}, mt) end setmetatable({}, mt) while true do collectgarbage() end',
    'finalizers that double':
      'local mt = {} function mt.__gc() setmetatable({}, mt) setmetatable({}, mt) end setmetatable({}, mt) while true do pcall(collectgarbage) end',
    'a finalizer that revives its object':
      'local mt = {} function mt.__gc(o) setmetatable(o, mt) end setmetatable({}, mt) while true do collectgarbage("step") end',
    'finalizers that raise': 'while true do setmetatable({}, { __gc = error }) end',
    'a finalizer under pcall':
      'setmetatable({}, { __gc = function() while true do pcall(error) end end }) pcall(collectgarbage)',
    'a __close':
      'do local x <close> = setmetatable({}, { __close = function() while true do end end }) end',
    'a __close after an error':
      'local x <close> = setmetatable({}, { __close = function() while true do end end }) error("x")',
    'a __close after an error under pcall':
      'pcall(function() local x <close> = setmetatable({}, { __close = function() while true do end end }) error("x") end)',
    'a __close of a for':
      'for _ in next, {}, nil, setmetatable({}, { __close = function() while true do end end }) do end',
    'weak tables': 'local t = setmetatable({}, { __mode = "kv" }) while true do t[{}] = {} end',
    ephemerons:
      'local t = setmetatable({}, { __mode = "k" }) while true do local k = {} t[k] = { k } end',
    'full collections': 'while true do collectgarbage() end',
    'steps of the collector': 'while true do collectgarbage("step", 100) end',
    'counting memory': 'while true do collectgarbage("count") end',
  },
  metamethods: {
    ...loopingMethods(),
    'a __tostring of an error':
      'error(setmetatable({}, { __tostring = function() while true do end end }))',
    'a __tostring under string.format':
      ';("%s"):format(setmetatable({}, { __tostring = function() while true do end end }))',
    'a long chain of __index':
      'local t = {} for i = 1, 1900 do t = setmetatable({}, { __index = t }) end while true do local x = t.x end',
    'a chain of __index in a circle':
      'local t = {} setmetatable(t, { __index = t }) while true do pcall(function() return t.x end) end',
    'a chain of __newindex in a circle':
      'local t = {} setmetatable(t, { __newindex = t }) while true do pcall(function() t.x = 1 end) end',
    'a chain of __call': 'local t = {} setmetatable(t, { __call = t }) while true do pcall(t) end',
    'a __index that calls itself':
      'local t = setmetatable({}, { __index = function(t, k) return t[k] end }) while true do pcall(function() return t.x end) end',
    'a table that answers for ever':
      'for _ in ipairs(setmetatable({}, { __index = function(_, i) return i end })) do end',
    'table.concat of such a table':
      'table.concat(setmetatable({}, { __index = function() return "" end }), "", 1, math.maxinteger)',
    'table.insert into a table of any length':
      'table.insert(setmetatable({}, { __len = function() return 1 << 60 end }), 1, true)',
    'table.remove from a table of any length':
      'table.remove(setmetatable({}, { __len = function() return 1 << 60 end }), 1)',
    'table.unpack through __index':
      'local t = setmetatable({}, { __index = function() return 1 end }) while true do table.unpack(t, 1, 1000) end',
  },
  strings: {
    'lazy backtracking': ';("a"):rep(5000):find((".-"):rep(20) .. "b")',
    'greedy backtracking': ';("a"):rep(5000):find((".*"):rep(20) .. "b")',
    'optional items': ';("a"):rep(40):find(("a?"):rep(40) .. ("a"):rep(41))',
    'captures and back references': ';("a"):rep(5000):find("(a*)(a*)(a*)%1%2%3b")',
    'balanced brackets': 'local s = ("("):rep(20000) while true do s:find("%b()") end',
    frontiers: 'local s = (" a"):rep(5000) while true do s:gsub("%f[%a]%a", "b") end',
    'a pattern in a loop': 'while true do pcall(string.find, "x", "(%") end',
    gmatch:
      'local s = ("key=value, "):rep(1000) while true do for k, v in s:gmatch("(%w+)=(%w+)") do end end',
    'gsub with a table': 'while true do ("$a $b $c"):gsub("%$(%w)", { a = 1, b = 2 }) end',
    'gsub of nothing': 'local s = ("x"):rep(1000) while true do s:gsub("", "-") end',
    'plain find':
      'local s = ("ab"):rep(50000) while true do s:find("aba" .. s, 1, true) s:find(("ab"):rep(2000) .. "b", 1, true) end',
    'rep of a short string': 'while true do ("x"):rep(100) end',
    'rep of a long string': 'while true do ("x"):rep(10000000) end',
    'rep with a separator': 'while true do ("x"):rep(100000, ", ") end',
    'reverse, upper and sub':
      'local s = ("x"):rep(100000) while true do s:reverse() s:upper() s:sub(2) end',
    'byte and char': 'local s = ("x"):rep(200) while true do string.char(s:byte(1, -1)) end',
    format: 'while true do ("%5.1f %q %x %-10s"):format(1.5, "a\\n", 255, "b") end',
    'format with a long string':
      'local s = ("x"):rep(100000) while true do ("%s%s"):format(s, s) end',
    'pack and unpack':
      'while true do string.unpack("<i8 s4 d", string.pack("<i8 s4 d", 1, "abc", 2.5)) end',
    packsize: 'local f = ("i4"):rep(10000) while true do string.packsize(f) end',
    utf8: 'local s = ("é日"):rep(1000) while true do utf8.len(s) utf8.offset(s, -1) for p, c in utf8.codes(s) do utf8.char(c) end end',
    'tonumber and tostring': 'while true do tonumber(tostring(1.1)) tonumber("zz", 36) end',
    'a long numeral': 'local s = ("1"):rep(100000) while true do tonumber(s) tonumber(s, 7) end',
    concatenation: 'while true do local s = "" for i = 1, 1000 do s = s .. i end end',
    'comparison of long strings':
      'local s = ("x"):rep(100000) local a, b = s .. "a", s .. "b" while true do local c = a < b, a == b end',
    'long strings as keys':
      'local t = {} while true do t[("x"):rep(100000)] = nil local x = t[("y"):rep(100000)] end',
    load: 'while true do load("return 1") end',
    'load of a long text':
      'local s = ("local a = 1 a = a + 1 "):rep(100) while true do load(s) end',
    'load of wrong text': 'while true do load("return return") load("\\27Lua") end',
  },
  tables: {
    'table.move': 'table.move({}, 1, 1 << 60, 2)',
    'table.move to and fro':
      'local t = table.pack(("x"):rep(1000):byte(1, -1)) while true do table.move(t, 1, 1000, 2) end',
    'table.concat':
      'local t = {} for i = 1, 10000 do t[i] = "x" end while true do table.concat(t, ",") end',
    'table.unpack':
      'local t = {} for i = 1, 1000 do t[i] = i end while true do table.unpack(t) end',
    "select('#')":
      'local t = {} for i = 1, 1000 do t[i] = i end while true do select("#", table.unpack(t)) end',
    'select from the end': 'while true do select(-1, 1, 2, 3) end',
    'variable arguments':
      'local function f(...) return { ... }, ... end while true do f(1, 2, f(3, 4)) end',
    'table.pack': 'while true do table.pack(1, 2, 3) end',
    'inserting and removing':
      'local t = {} while true do for i = 1, 100 do table.insert(t, 1, i) end for i = 1, 100 do table.remove(t, 1) end end',
    'a table that grows and its length':
      'while true do local t = {} for i = 1, 10000 do t[#t + 1] = i end end',
    'the length of a table with holes':
      'local t = {} for i = 1, 1000 do t[i] = i end t[500] = nil while true do local n = #t end',
    pairs:
      'local t = {} for i = 1, 1000 do t[i] = i t["k" .. i] = i end while true do for k, v in pairs(t) do end end',
    ipairs: 'local t = { 1, 2, 3 } while true do for i, v in ipairs(t) do end end',
    'next over a table that was large':
      'local t = {} for i = 1, 10000 do t[i + 0.5] = 1 end for k in pairs(t) do t[k] = nil end while true do next(t) end',
    'rawget, rawset, rawequal and rawlen':
      'local t = {} while true do rawset(t, 1, 1) rawget(t, 1) rawequal(t, t) rawlen(t) end',
    setmetatable: 'local t = {} while true do getmetatable(setmetatable(t, {})) end',
  },
  libraries: {
    'math.random': 'while true do math.random(100) end',
    'math functions': 'while true do math.floor(math.sin(1) * math.sqrt(2) ^ 3.5) end',
    'math.ult, tointeger and type':
      'while true do math.ult(1, 2) math.tointeger("8") math.type(1) end',
    'os.time': 'while true do os.time() end',
    'os.time of a table': 'while true do os.time({ year = 2026, month = 11, day = 16 }) end',
    'os.clock and os.difftime': 'while true do os.difftime(os.time(), 0) os.clock() end',
    'json.decode': 'while true do json.decode([[{"a":[1,2,{"b":null}],"c":"x\\u00e9"}]]) end',
    'json.decode of a long text':
      'local s = "[" .. ("1,"):rep(10000) .. "1]" while true do json.decode(s) end',
    'json.encode':
      'local t = { a = { 1, 2, { b = json.null } }, c = "x" } while true do json.encode(t) end',
    'json.encode of a long array':
      'local t = {} for i = 1, 2000 do t[i] = i end while true do json.encode(t, { indent = true }) end',
    'reading a file': 'local f = io.open("closed.txt") while true do f:seek("set") f:read("a") end',
    'reading numbers, lines and bytes':
      'local f = io.open("closed.txt") while true do f:seek("set") f:read("n", 1, "l", 0) end',
    seeking: 'while true do left:seek("cur", 0) end',
    flushing: 'while true do left:flush() end',
    'io.type and tostring of a handle': 'while true do io.type(left) tostring(left) end',
  },
  'calls of the host': {
    'opening and closing': 'while true do io.open("closed.txt"):close() end',
    'opening without closing': 'while true do io.open("closed.txt") end',
    'an iterator over lines': 'while true do for line in io.lines("closed.txt") do end end',
    'reading at the end': 'local f = io.open("closed.txt") while true do f:read(1) end',
    'json.decode of wrong text': 'while true do pcall(json.decode, "[1,") end',
    'json.encode of a cycle': 'local t = {} t[1] = t while true do pcall(json.encode, t) end',
    'writing beyond the limit':
      'while true do left:seek("set") pcall(left.write, left, "open") end',
    'opening what is not there': 'while true do io.open("missing.txt") end',
    'opening what is not allowed': 'while true do pcall(io.open, "../x") end',
    'opening a long path': 'local p = ("x/"):rep(100000) while true do pcall(io.open, p) end',
    'removing what is not there': 'while true do os.remove("missing.txt") end',
    'renaming what is not there': 'while true do os.rename("missing.txt", "x.txt") end',
    listing: 'while true do io.list() end',
    'saving beyond the limit': 'while true do pcall(file.save, "closed.txt", "closed") end',
    'os.date': 'while true do os.date() end',
    'os.date with a long format': 'local f = ("%c"):rep(1000) while true do os.date(f) end',
    'os.tmpname': 'while true do os.tmpname() end',
    'math.randomseed': 'while true do math.randomseed() end',
    'json.encode of what doubles at every level':
      'local t = {} for i = 1, 100 do t = { t, t } end json.encode(t)',
  },
}

/** Prints a line and writes two files, one closed and one left open, before the script goes on for ever. */
export function framed(script: string): string {
  const frame = `print('started')
    io.open('closed.txt', 'w'):write('closed'):close()
    left = io.open('open.txt', 'w')
    left:write('open')`
  return `${frame}\n${script}`
}
