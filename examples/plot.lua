-- How much of the Moon is lit on each of the next 60 days, as a plot.
local DAYS, LEFT, TOP, WIDTH, HEIGHT = 60, 56, 48, 640, 180
local MONTH = 29.530588 -- days from one new moon to the next
local NEW_MOON = os.time({ year = 2000, month = 1, day = 6, hour = 18 })

local function lit_percent(time)
  local age = (time - NEW_MOON) / 86400 % MONTH
  return 50 * (1 - math.cos(2 * math.pi * age / MONTH))
end

local csv <close> = assert(io.open("output/moon.csv", "w"))
csv:write("date,lit_percent\n")

local points, fullest = {}, { lit_percent = 0 }
for day = 0, DAYS do
  local time = os.time() + day * 86400
  local date = os.date("%Y-%m-%d", time)
  local lit = math.floor(lit_percent(time) * 10 + 0.5) / 10
  local x = LEFT + day / DAYS * WIDTH
  local y = TOP + HEIGHT - lit / 100 * HEIGHT
  points[#points + 1] = string.format("%.1f,%.1f", x, y)
  csv:write(date, ",", lit, "\n")
  if lit > fullest.lit_percent then
    fullest = { date = date, lit_percent = lit, x = x, y = y }
  end
  if day % 10 == 0 then print(date, lit .. " %") end
end

local svg <close> = assert(io.open("output/moon.svg", "w"))
svg:write([[<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 260"
  font-family="system-ui, sans-serif" font-size="14" fill="#aab3bb">
<rect width="720" height="260" fill="#10151c"/>]])
for percent = 0, 100, 50 do
  local y = TOP + HEIGHT - percent / 100 * HEIGHT
  svg:write('<path d="M56 ', y, 'h640" stroke="#2c343d"/>')
  svg:write('<text x="12" y="', y + 5, '">', percent, " %</text>")
end
svg:write('<polyline points="', table.concat(points, " "),
  '" fill="none" stroke="#f5cf4f" stroke-width="3"/>')
svg:write('<circle cx="', fullest.x, '" cy="', fullest.y,
  '" r="7" fill="#f5cf4f"/>')
svg:write('<text x="56" y="26" fill="#e8ecef">Lit part of the Moon, next ',
  DAYS, " days. Fullest on ", fullest.date, "</text></svg>\n")

return { fullest_on = fullest.date, lit_percent = fullest.lit_percent }
