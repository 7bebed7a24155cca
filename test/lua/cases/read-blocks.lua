-- Blocks of any size, from any place: short and long strings, what is read ahead, and the end of the file.

--# blocks of every kind of size
local text = {}
for i = 1, 30000 do text[i] = tostring(i) end
text = table.concat(text, ",")
local f = io.open("f", "wb")
f:write(text)
f:close()
for _, size in ipairs { 1, 39, 40, 41, 1000, 16383, 16384, 16385, 32768, 65536, 100000, #text, #text + 1 } do
  local f = io.open("f", "rb")
  local blocks = {}
  for block in function() return #blocks < 3000 and f:read(size) or nil end do blocks[#blocks + 1] = block end
  local all = table.concat(blocks)
  print(size, #blocks, #blocks[#blocks], all == text:sub(1, #all))
  f:close()
end

--# blocks of changing size
local f = io.open("f", "wb")
for i = 1, 20000 do f:write(i % 10) end
f:close()
f = io.open("f", "rb")
local sum, size = 0, 1
for block in function() return f:read(size) end do
  for i = 1, #block do sum = sum + block:byte(i) * (i % 7) end
  size = size * 3 % 5003
end
print(sum, size)

--# blocks are strings like others
local f = io.open("f", "wb")
f:write(("k"):rep(40), ("l"):rep(41), ("0"):rep(44), "7", ("m"):rep(20000))
f:close()
f = io.open("f", "rb")
local known = { [("k"):rep(40)] = "short", [("l"):rep(41)] = "long", [("m"):rep(20000)] = "longer" }
print(known[f:read(40)], known[f:read(41)])
print(tonumber(f:read(45)))
local block = f:read(20000)
print(known[block], block == ("m"):rep(20000), block < "n", #(block .. "x"))

--# blocks with zeros
local f = io.open("f", "wb")
f:write(("\0"):rep(50), "a", ("\0"):rep(50))
f:close()
f = io.open("f", "rb")
print(f:read(101) == ("\0"):rep(50) .. "a" .. ("\0"):rep(50))

--# fewer bytes than asked for
local f = io.open("f", "wb")
f:write("0123456789")
f:close()
f = io.open("f", "rb")
print(f:read(4), f:read(100), f:read(100), f:read(0))
print(f:seek("set"), f:read(100000), f:read(1))

--# several blocks in one call
local f = io.open("f", "wb")
f:write(("x"):rep(50), ("y"):rep(50), "z")
f:close()
f = io.open("f", "rb")
print(f:read(50, 49, 1, 1, 1))

--# a block after a line and a number
local f = io.open("f", "wb")
f:write("first\n12 ", ("x"):rep(60), "\nlast")
f:close()
f = io.open("f", "rb")
print(f:read("l", "n", 1, 60, 1, "a"))

--# blocks from a handle that only writes
local f = io.open("f", "wb")
print(f:read(5))
print(f:read(50))

--# what was written meanwhile
local f = io.open("f", "w+b")
f:write(("a"):rep(100))
f:seek("set")
print(f:read(60))
f:seek("cur", 0)
f:write(("b"):rep(10))
f:seek("set")
print(f:read(100))

--# a finalizer that reads from the same file
local f = io.open("f", "wb")
for i = 1, 3000 do f:write(("%099d\n"):format(i)) end
f:close()
f = io.open("f", "rb")
local seen = {}
local function note(block) if block then seen[tonumber(block)] = true end end
local function leave() setmetatable({}, { __gc = function() note(f:read(100)) end }) end
repeat
  leave()
  local block = f:read(100)
  note(block)
until not block
print(#seen)
