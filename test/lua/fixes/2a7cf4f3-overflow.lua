-- right: stack overflow, all ran
-- finalizers that are due where the stack is almost full wait, and take nothing that the overflow needs
local made, ran, depth, limit = 0, 0, 0, math.huge
local mark = { __gc = function ()
  local a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z
  ran = ran + 1
end }
local function deep ()
  depth = depth + 1
  if depth > limit then
    setmetatable({}, mark)
    made = made + 1
    collectgarbage()
  end
  return 1 + deep()
end
pcall(deep)
limit, depth = depth - 40, 0
local _, message = pcall(deep)
collectgarbage() collectgarbage()
local lost = made > 0 and made == ran and "all ran" or (made - ran) .. " of " .. made .. " lost"
return (message:match("stack overflow") or message) .. ", " .. lost
