-- right: survived
-- the same by names, through a chain of two, and from a C function
local hoard = {}
local function fill (size)
  while pcall(function () hoard[#hoard + 1] = string.rep(tostring(#hoard), size) end) do end
end
local names = {}
for i = 1, 2000 do names[i] = "name" .. i end
local function weakly (target)
  return setmetatable({}, setmetatable({ __newindex = target }, { __mode = "v" }))
end
fill(100000) fill(5000) fill(200)
for round = 1, 12 do
  pcall(function ()
    local t = weakly({})
    for i = 1, #names do t[names[i]] = i end
  end)
  pcall(function ()
    local t = weakly(weakly({}))
    for i = 1, #names do t[names[i]] = i end
  end)
  pcall(function () table.move(names, 1, #names, 1, weakly({})) end)
  hoard[#hoard] = nil
end
return "survived"
