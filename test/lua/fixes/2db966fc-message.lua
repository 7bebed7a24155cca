-- right: bad argument #2 to 'string.unpack' (data string too short) 81 times
-- the message is the same however full the stack is, and whichever finalizers run meanwhile
local closed
local handle = { __gc = function () closed = true end }
local times, distinct = {}, {}
for count = 560, 640 do
  local format, data = string.rep("b", count + 1), string.rep("x", count)
  for i = 1, 5000 do setmetatable({}, handle) end
  closed = false
  repeat collectgarbage("step") until closed
  local _, message = coroutine.wrap(pcall)(string.unpack, format, data)
  if not times[message] then distinct[#distinct + 1] = message end
  times[message] = (times[message] or 0) + 1
end
for i, message in ipairs(distinct) do distinct[i] = message .. " " .. times[message] .. " times" end
return table.concat(distinct, "; ")
