-- Step 1: leave a file per region for the next step.
-- A later script, a tool or a person picks them up.
local regions = {
  north = { 120, 80, 64 },
  south = { 45, 210 },
  west = { 99, 12, 7, 31 },
}

for name, orders in pairs(regions) do
  local path = "regions/" .. name .. ".json"
  file.save(path, json.encode({ region = name, orders = orders }))
  print("left", path)
end

return { next = "Choose step 2 and run it." }
