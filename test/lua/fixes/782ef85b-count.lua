-- right: 3 even, 2 odd; 4 long, 1 short; yes no; 2 of both
-- counts by a condition, in globals, in fields of upvalues, nested and in a constructor
count = { [true] = 0, [false] = 0 }
for n = 2, 6 do count[n % 2 == 0] = count[n % 2 == 0] + 1 end

local stats = { long = { [true] = 0, [false] = 0 } }
local function tally (word)
  stats.long[#word >= 4] = stats.long[#word >= 4] + 1
end
for _, word in ipairs { "one", "three", "four", "five", "seven" } do tally(word) end

local answer = { [true] = "yes", [false] = "no" }
local function ask (a, b)
  local asked = { answer[a < b], [1 + 1] = answer[not (a < b)] }
  return asked[1] .. " " .. asked[2]
end

local grid = { [true] = { [true] = 0, [false] = 0 }, [false] = { [true] = 0, [false] = 0 } }
local function both (x, y) grid[x > 0][y ~= nil] = grid[x > 0][y ~= nil] + 1 end
both(1, 1) both(1) both(2, "") both(-1, 1)

return string.format("%d even, %d odd; %d long, %d short; %s; %d of both", count[true], count[false],
  stats.long[true], stats.long[false], ask(1, 2), grid[true][true])
