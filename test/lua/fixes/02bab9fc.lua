-- right: 7: attempt to divide by zero
local function average (rows)
  local total = 0
  for i = 1, #rows do total = total + rows[i] end
  local n = #rows

  return total // n
end
local _, message = pcall(average, {})
return message:match(":(%d+:.*)")
