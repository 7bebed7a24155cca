-- right: a // b: 4, a % b: 4, a // 0: 4, a % 0: 4
-- each operator, with a variable and with a constant as divisor, some lines below the last call
local lines = {}
for i, division in ipairs { "a // b", "a % b", "a // 0", "a % 0" } do
  local chunk = assert(load("local a, b = ...\nlocal c = type(a)\n\nreturn " .. division, "=chunk"))
  local _, message = pcall(chunk, 5, 0)
  lines[i] = division .. ": " .. message:match("^chunk:(%d+)")
end
return table.concat(lines, ", ")
