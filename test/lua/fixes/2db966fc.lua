-- right: survived
-- unpack fails with its stack nearly full, and a finalizer runs while the error looks for the function's name
local ran
local mark = { __gc = function () ran = true end }
for count = 560, 640 do
  local format, data = string.rep("b", count + 1), string.rep("x", count)
  for i = 1, 5000 do setmetatable({}, mark) end
  ran = false
  repeat collectgarbage("step") until ran
  coroutine.wrap(pcall)(string.unpack, format, data)
end
return "survived"
