-- right: 0 lost, 0 of 500 left
-- caches that get a metatable of their own while ordinary work allocates; they still lose what is unused
local caches = {}
for i = 1, 20000 do caches[i] = setmetatable({}, { __mode = "kv" }) end
for i = 1, #caches do
  local garbage = string.rep("x", 3000) .. i
  setmetatable(caches[i], { __mode = "kv", __index = function (_, key) return key .. i end })
end
local lost = 0
for i = 1, #caches do
  local ok, value = pcall(function () return caches[i].item end)
  if not ok or value ~= "item" .. i then lost = lost + 1 end
end
for i = 1, 500 do caches[1][i], caches[1][{}] = {}, i end
collectgarbage()
local left = 0
for _ in next, caches[1] do left = left + 1 end
return lost .. " lost, " .. left .. " of 500 left"
