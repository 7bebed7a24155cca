-- right: collected
-- after a large step garbage is still collected by itself
collectgarbage("step", 1 << 19)
local collected = false
setmetatable({}, { __gc = function () collected = true end })
for i = 1, 200000 do
  local garbage = { i }
  if collected then return "collected" end
end
return "not collected"
