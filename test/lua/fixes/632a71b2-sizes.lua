-- right: 0 of 31 left unfinished
-- whatever the size, a step larger than memory finishes the cycle, and the collector goes on after it
local unfinished = 0
for power = 16, 30 do
  for _, size in ipairs { 1 << power, (1 << power) + 12345 } do
    if not collectgarbage("step", size) then unfinished = unfinished + 1 end
  end
end
if not collectgarbage("step", math.maxinteger >> 32) then unfinished = unfinished + 1 end
return unfinished .. " of 31 left unfinished"
