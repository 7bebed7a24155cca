-- right: all ran
-- garbage is collected where the C stack has no room for a finalizer
local made, ran = 0, 0
local mark = { __gc = function () ran = ran + #tostring(1) end }
local function nest (n)
  if n > 0 then return (string.gsub("x", "x", function () nest(n - 1) end)) end
  made = made + 1
  setmetatable({}, mark)
  collectgarbage()
end
for depth = 1, 200 do pcall(nest, depth) end
collectgarbage() collectgarbage()
return made == ran and "all ran" or (made - ran) .. " lost"
