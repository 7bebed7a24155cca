-- right: all ran
-- finalizers that call back into Lua, due in a callback of table.sort or a metamethod
local made, ran = 0, 0
local mark = { __gc = function () ran = ran + #string.gsub("x", "x", function (x) return x end) end }
local nested = setmetatable({}, { __index = function (t, depth)
  if depth > 0 then return t[depth - 1] end
  table.sort({ 2, 1 }, function (a, b)
    made = made + 1
    setmetatable({}, mark)
    collectgarbage()
    return a < b
  end)
end })
for depth = 1, 220 do pcall(function () return nested[depth] end) end
collectgarbage() collectgarbage()
return made > 0 and made == ran and "all ran" or (made - ran) .. " of " .. made .. " lost"
