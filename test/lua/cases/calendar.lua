-- os.date and os.time over the whole calendar: every conversion, and fields that carry over.

--# every conversion at limits, leap days, new years and hours
local format = "!"
for c in ("aAbBcCdDeFgGhHIjmMnprRStTuUVwWxXyYzZ%"):gmatch(".") do format = format .. "|%" .. c end
for c in ("cCxXyY"):gmatch(".") do format = format .. "|%E" .. c end
for c in ("deHImMSuUVwWy"):gmatch(".") do format = format .. "|%O" .. c end
local function show(time) print(os.date(format, time)) end
local function utc(year, month) return os.time { year = year, month = month, day = 1, hour = 0 } end
local day = 86400

-- The first and last second whose year fits C's tm_year, and the year 2^31, where glibc wraps.
show(-67768040609740800)
show(67768036191676799)
local edges = { 0, 67767976233532800, 1 << 31, -(1 << 31), 1 << 53, -(1 << 53) }
for _, year in ipairs { -100, -99, -1, 0, 1, 100, 1000, 1901, 10000 } do edges[#edges + 1] = utc(year, 1) end
for _, time in ipairs(edges) do show(time - 1) show(time) end

for _, year in ipairs { -400, -100, -4, -1, 0, 1, 4, 100, 400, 1600, 1700, 1900, 1968, 1972, 2000, 2023, 2024, 2100, 9999, 12000 } do
  local march = utc(year, 3)
  for _, time in ipairs { march - day - 1, march - day, march - 1, march } do show(time) end
end

-- 28 years have every weekday before and after a leap year; ISO years begin within these days.
for year = 1996, 2023 do
  for days = -3, 2 do show(utc(year, 1) + days * day) end
end
for hour = 0, 23 do show(utc(2025, 7) + hour * 3661) end

--# fields that carry over
local function show(year, month, day, hour, min, sec)
  local t = { year = year, month = month, day = day, hour = hour, min = min, sec = sec }
  local ok, seconds = pcall(os.time, t)
  assert(ok or seconds:find("cannot be represented", 1, true), seconds)
  print(ok and table.concat({ seconds, t.year, t.month, t.day, t.hour, t.min, t.sec, t.wday, t.yday }, " ") or "none")
end
for _, value in ipairs { -1000000, -400, -13, -12, -11, -3, -1, 0, 14, 24, 25, 60, 61, 366, 1000000 } do
  show(2024, value, 29, 12, 0, 0)
  show(2023, 3, value, 12, 0, 0)
  show(2024, 3, 1, value, 0, 0)
  show(2024, 3, 1, 0, value, 0)
  show(2024, 3, 1, 0, 0, value)
end
local int_max = (1 << 31) - 1
local last = int_max + 1900
local first = last - (1 << 32) + 1
show(last, 12, 31, 23, 59, 59)
show(last, 12, 31, 23, 59, 60)
show(last, 13, 1, 0, 0, 0)
show(last, 14, -100, 0, 0, 0)
show(first, 1, 1, 0, 0, 0)
show(first, 1, 1, 0, 0, -1)
show(first, 0, 31, 0, 0, 0)
show(first, -1, 100, 0, 0, 0)
show(2024, int_max, int_max, int_max, int_max, int_max)
show(2024, -int_max, -int_max, -int_max, -int_max, -int_max)

--# random dates and fields
local state = 20240229
-- A linear congruential step; low bits repeat early, and dividing keeps the high ones.
local function random()
  state = (state * 1664525 + 1013904223) & 0xffffffff
  return state / 2 ^ 32
end
local function year(y) return os.time { year = y, month = 1, day = 1, hour = 0 } end
local function between(from, to)
  print(os.date("!%a %b %c %g %G %I %j %p %u %U %V %w %W %y", year(from) + math.floor(random() * (year(to) - year(from)))))
end
for _ = 1, 32 do
  between(1, 10000)
  between(1900, 2100)
  between(-20000, 20000)
end
local function spread(size) return math.floor((random() * 2 - 1) * size + 0.5) end
for _ = 1, 60 do
  local t = { year = spread(5000), month = spread(50), day = spread(1000), hour = spread(1000), min = spread(100000), sec = spread(1000000000) }
  print(os.time(t), t.year, t.month, t.day, t.hour, t.min, t.sec, t.wday, t.yday)
end
