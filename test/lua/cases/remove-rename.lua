-- os.remove and os.rename: results, messages and what is left.

--# remove
io.open("f", "w"):write("x"):close()
print(os.remove("f"))
print(io.open("f"))
print(os.remove("f"))

--# remove a missing file
print(os.remove("missing"))
print(select("#", os.remove("missing")))
print(pcall(os.remove, "missing"))

--# remove returns true only
io.open("f", "w"):close()
print(select("#", os.remove("f")))

--# remove without arguments
os.remove()

--# remove argument types
print(pcall(os.remove, nil))
print(pcall(os.remove, {}))
print(pcall(os.remove, true))
io.open("5", "w"):close()
print(os.remove(5))

--# assert on remove
assert(os.remove("not-there"))

--# rename
io.open("a", "w"):write("content"):close()
print(os.rename("a", "b"))
print(io.open("a"))
print(io.open("b"):read("a"))

--# rename a missing file
print(os.rename("missing", "other"))
print((io.open("other")))

--# rename over a file
io.open("a", "w"):write("new"):close()
io.open("b", "w"):write("old"):close()
print(os.rename("a", "b"))
print(io.open("b"):read("a"), (io.open("a")))

--# rename to itself
io.open("a", "w"):write("same"):close()
print(os.rename("a", "a"))
print(io.open("a"):read("a"))

--# rename to another spelling of itself
io.open("a", "w"):write("same"):close()
print(os.rename("a", "./a"))
print(io.open("a"):read("a"))

--# rename missing onto existing keeps it
io.open("b", "w"):write("kept"):close()
print(os.rename("a", "b"))
print(io.open("b"):read("a"))

--# rename arguments
print(pcall(os.rename))
print(pcall(os.rename, "a"))
print(pcall(os.rename, "a", nil))
print(pcall(os.rename, {}, "b"))

--# rename chain
io.open("a", "w"):write("data"):close()
for _, step in ipairs { { "a", "b" }, { "b", "c" }, { "c", "a" } } do print(os.rename(step[1], step[2])) end
print(io.open("a"):read("a"), (io.open("b")), (io.open("c")))

--# swap two files
io.open("a", "w"):write("A"):close()
io.open("b", "w"):write("B"):close()
os.rename("a", "tmp")
os.rename("b", "a")
os.rename("tmp", "b")
print(io.open("a"):read("a"), io.open("b"):read("a"))

--# replace by rename
io.open("data", "w"):write("v1"):close()
local tmp = io.open("data.new", "w")
tmp:write("v2")
tmp:close()
print(os.rename("data.new", "data"), io.open("data"):read("a"))

--# remove then create
for i = 1, 3 do
  io.open("f", "w"):write("version ", i):close()
  print(io.open("f"):read("a"))
  print(os.remove("f"))
end
print(os.remove("f"))

--# rename an unflushed file
local f = io.open("a", "w")
f:write("buffered")
print(os.rename("a", "b"))
print(#io.open("b"):read("a"))
f:close()
print(io.open("b"):read("a"), (io.open("a")))

--# remove an unflushed file
local f = io.open("a", "w")
f:write("buffered")
print(os.remove("a"))
print(f:close())
print(io.open("a"))
