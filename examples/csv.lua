-- Reads a CSV line by line, however long it is, and sums it up.
local INPUT = "input/sales.csv"

-- So that there is something to read. Upload your own to use that.
if not io.open(INPUT) then
  local sample <close> = assert(io.open(INPUT, "w"))
  sample:write("region,product,amount\n")
  for i = 1, 300 do
    local region = ({ "north", "south", "west" })[i % 3 + 1]
    sample:write(region, ",product ", i % 7, ",", i * 37 % 400, "\n")
  end
  print("made a sample, " .. INPUT)
end

local sums, rows = {}, 0
for line in io.lines(INPUT) do
  local region, amount = line:match("^([^,]+),[^,]*,(%d+)")
  if amount then -- the heading has no number
    sums[region] = (sums[region] or 0) + tonumber(amount)
    rows = rows + 1
  end
end

local regions = {}
for region in pairs(sums) do regions[#regions + 1] = region end
table.sort(regions, function(a, b) return sums[a] > sums[b] end)

local output <close> = assert(io.open("output/sums.csv", "w"))
output:write("region,sum\n")
for _, region in ipairs(regions) do
  output:write(region, ",", sums[region], "\n")
  print(string.format("%-8s %8d", region, sums[region]))
end

return { rows = rows, sums = sums }
