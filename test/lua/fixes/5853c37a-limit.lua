-- right: not enough memory up to 174, string length overflow up to 250
-- every length around the limit: the 175th byte is the first that leaves no room for the header
local part = string.rep("x", 22605090)
local code = "local a, b = ... return " .. string.rep("a", 190, "..") .. "..b"
local join = assert(load(code, "=join"))
local found, last = {}, nil
for length = 150, 250 do
  local _, message = pcall(join, part, string.rep("y", length))
  message = message:gsub("^join:1: ", "")
  if message ~= last then found[#found + 1] = message last = message end
  found[message] = length
end
for i, message in ipairs(found) do found[i] = message .. " up to " .. found[message] end
return table.concat(found, ", ")
