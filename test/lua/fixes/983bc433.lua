-- right: survived
-- memory is full, so each new key needs an emergency collection, which takes the weakly held target away
local hoard = {}
local function fill (size)
  while pcall(function () hoard[#hoard + 1] = string.rep(tostring(#hoard), size) end) do end
end
fill(100000) fill(5000) fill(200)
for round = 1, 12 do
  local weak = setmetatable({ __newindex = {} }, { __mode = "v" })
  local t = setmetatable({}, weak)
  pcall(function () for i = 1, 3000 do t[i] = i end end)
  hoard[#hoard] = nil
end
return "survived"
