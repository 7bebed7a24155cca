-- right: true false not enough memory
-- an overflow while an overflow is handled, when not even the message fits into memory
local names = {}
for i = 1, 190 do names[i] = "v" .. i end
local deep = assert(load("local function deep () local " .. table.concat(names, ",")
  .. " return 1 + deep() end return deep", "=deep"))()
local co = coroutine.create(function ()
  local guard <close> = setmetatable({}, { __close = function (o) kept = o deep() end })
  deep()
end)
local large, small = {}, {}
for i = 1, 5000 do large[i] = i <= 36 and string.rep("x", 1000000) end
for i = 1, 60000 do small[i] = false end
collectgarbage()  -- more than half of memory is in use: no further cycle starts by itself
local _, overflow = coroutine.resume(co)
local at = 37
local function hoard (size) large[at] = string.rep("y", size) at = at + 1 end
local function crumbs () for i = 1, #small do small[i] = string.format("%023d", i) end end
for _, size in ipairs { 1000000, 100000, 10000, 1000, 300 } do repeat until not pcall(hoard, size) end
pcall(crumbs)
local caught, closed, message = pcall(coroutine.close, co)
large, small = nil
return tostring(caught) .. " " .. tostring(closed) .. " " .. tostring(message)
