-- require: modules below lib/. Native Lua has to be told where they are, and to make the folders.

--# a module is run once, with its name and its file
if os.execute then os.execute("mkdir lib") end
package.path = "./lib/?.lua"
io.open("lib/rows.lua", "w"):write("print('run', (...), select('#', ...)) return { n = 1 }"):close()
local rows, from = require "rows"
print(rows.n, (from:gsub("^%./", "")))
print(require("rows") == rows, select("#", require "rows"), package.loaded.rows == rows)

--# a module without a value
if os.execute then os.execute("mkdir lib") end
package.path = "lib/?.lua"
io.open("lib/nothing.lua", "w"):write("count = (count or 0) + 1"):close()
io.open("lib/no.lua", "w"):write("count = (count or 0) + 1 return false"):close()
io.open("lib/own.lua", "w"):write("package.loaded[...] = 'own'"):close()
print(require "nothing", require "nothing", count)
print(require "no")
print(require "no")
print(count, package.loaded.no)
print(require "own")

--# folders
if os.execute then os.execute("mkdir -p lib/a/b lib/pack") end
package.path = "lib/?.lua;lib/?/init.lua"
io.open("lib/a/b/c.lua", "w"):write("return ..."):close()
io.open("lib/pack/init.lua", "w"):write("return { ... }"):close()
io.open("lib/pack/part.lua", "w"):write("return (...):match('^(.-)[^.]+$')"):close()
print(require "a.b.c")
print(require("pack")[2])
print(require "pack.part")

--# preload
package.preload.given = function(...) print(...) return "value" end
print(require "given")
print(require "given")
package.preload.broken = function() error("no luck") end
print(pcall(require, "broken"))
package.preload.callable = setmetatable({}, { __call = function() return 1 end })
print(pcall(require, "callable"), package.loaded.callable)

--# package.loaded
print(require "string" == string, require "_G" == _G, package.loaded.table == table)
package.loaded.mine = 7
print(require "mine")
package.loaded = {}
package.preload = { x = function() return "not used" end }
print(require "mine", (pcall(require, "x")))

--# package.loaded with a metatable
local loaded = setmetatable(package.loaded, { __index = function(_, name) return "any " .. name end })
print(require "thing", rawget(loaded, "thing"))

--# a missing module
if os.execute then os.execute("mkdir lib") end
package.path, package.cpath = "lib/?.lua;lib/?/init.lua", ""
local ok, message = pcall(require, "not.there")
print(ok, (message:gsub("\n\tno file ''", "")))
local function f() require "missing" end
print((select(2, pcall(f)):match("^[^\n]*")))

--# a module that raises
if os.execute then os.execute("mkdir lib") end
package.path = "lib/?.lua"
io.open("lib/bad.lua", "w"):write("tries = (tries or 0) + 1\nif tries < 3 then\n  error('try ' .. tries)\nend\nreturn tries"):close()
print(pcall(require, "bad"))
print(pcall(require, "bad"))
print(package.loaded.bad)
print(require "bad")
io.open("lib/odd.lua", "w"):write("error({ code = 5 })"):close()
print(select(2, pcall(require, "odd")).code)

--# a module with a mistake
if os.execute then os.execute("mkdir lib") end
package.path = "lib/?.lua"
io.open("lib/typo.lua", "w"):write("local x = 1\nlocal y = = 2\n"):close()
print(pcall(require, "typo"))
print((select(2, pcall(function() require "typo" end)):match("^[^\n]*")))

--# an uncaught error in a module
if os.execute then os.execute("mkdir lib") end
package.path = "lib/?.lua"
io.open("lib/deep.lua", "w"):write("local m = {}\nfunction m.f(x)\n  return x.y\nend\nreturn m"):close()
require("deep").f()

--# the first line may be for the shell
if os.execute then os.execute("mkdir lib") end
package.path = "lib/?.lua"
io.open("lib/tool.lua", "w"):write("#!/usr/bin/env lua\nreturn pcall(error, 'x', 2) and 1 or select(2, pcall(function() error('at') end))"):close()
io.open("lib/bom.lua", "w"):write("\xEF\xBB\xBF# comment\nreturn debug.getinfo(1, 'l').currentline"):close()
io.open("lib/hash.lua", "w"):write("#"):close()
print(require "tool")
print((require "bom"))
print((require "hash"))

--# names that are no strings
print(pcall(require))
print(pcall(require, nil))
print(pcall(require, {}))
package.preload["12"] = function(name) return math.type(name) or name end
print(require(12))

--# a module may change while the run goes on
if os.execute then os.execute("mkdir lib") end
package.path = "lib/?.lua"
io.open("lib/v.lua", "w"):write("return 1"):close()
print((require "v"))
io.open("lib/v.lua", "w"):write("return 2"):close()
print((require "v"))
package.loaded.v = nil
print((require "v"))

--# modules that need each other, one of them registered
if os.execute then os.execute("mkdir lib") end
package.path = "lib/?.lua"
io.open("lib/one.lua", "w"):write("local m = {} package.loaded[...] = m m.two = require 'two' return m"):close()
io.open("lib/two.lua", "w"):write("return { one = require 'one' }"):close()
local one = require "one"
print(one.two.one == one)

--# globals of a module are those of the script
if os.execute then os.execute("mkdir lib") end
package.path = "lib/?.lua"
io.open("lib/env.lua", "w"):write("shared = 'set' return _ENV == _G"):close()
print((require "env"), shared)
