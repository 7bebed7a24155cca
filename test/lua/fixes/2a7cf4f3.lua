-- right: 50 ran
-- in each coroutine the stack has to grow for a finalizer, when memory is full
local names = {}
for i = 1, 30 do names[i] = "v" .. i end
local locals = "local " .. table.concat(names, ",") .. " "
local body = assert(load(locals .. locals:sub(1, 90) .. " coroutine.yield() collectgarbage()"))
ran = 0
local mark = { __gc = assert(load(locals .. "ran = ran + 1")) }
local objects, coroutines = {}, {}
for i = 1, 50 do
  objects[i] = setmetatable({}, mark)
  coroutines[i] = coroutine.create(body)
  coroutine.resume(coroutines[i])
end
local large, small = {}, {}
for i = 1, 5000 do large[i] = false end
for i = 1, 60000 do small[i] = false end
collectgarbage()
local at = 1
local function hoard (size) large[at] = string.rep("y", size) at = at + 1 end
local function crumbs () for i = 1, #small do small[i] = string.format("%023d", i) end end
for _, size in ipairs { 1000000, 100000, 10000, 1000, 300 } do repeat until not pcall(hoard, size) end
pcall(crumbs)
for i = 1, 50 do
  objects[i] = false
  coroutine.resume(coroutines[i])
end
large, small = nil
collectgarbage() collectgarbage()
return ran .. " ran"
