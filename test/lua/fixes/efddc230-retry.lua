-- right: 1000 refusals, then one two
-- an iterator is asked again and again; another one is not affected by it
local step = string.gmatch(string.rep("(", 1000) .. "x", string.rep("%(?", 250))
local refusals = 0
for _ = 1, 1000 do
  local ok, message = pcall(step)
  if not ok and message:find("pattern too complex", 1, true) then refusals = refusals + 1 end
end
local words = {}
for word in string.gmatch("one two", "%a+") do words[#words + 1] = word end
return refusals .. " refusals, then " .. table.concat(words, " ")
