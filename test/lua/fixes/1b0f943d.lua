-- right: 0 lost
-- each table gets one new metatable, at some moment between two steps of the collector
local tables = {}
for i = 1, 20000 do tables[i] = setmetatable({}, { __mode = "kv" }) end
for i = 1, #tables do
  collectgarbage("step", 1)
  setmetatable(tables[i], { __mode = "kv", name = i })
end
local lost = 0
for i = 1, #tables do
  local ok, name = pcall(function () return getmetatable(tables[i]).name end)
  if not ok or name ~= i then lost = lost + 1 end
end
return lost .. " lost"
