-- os.date: every C99 conversion on fixed times, date tables, and what it refuses.

--# each specifier at the epoch
for spec in ("aAbBcdDeFgGhHIjmMnprRStTuUVwWxXyYzZ%"):gmatch(".") do
  print(spec, (os.date("!%" .. spec, 0):gsub("\n", "\\n"):gsub("\t", "\\t")))
end

--# each specifier on an afternoon
for spec in ("aAbBcdDeFgGhHIjmMprRSTuUVwWxXyYzZ%"):gmatch(".") do
  print(spec, os.date("!%" .. spec, 1709215445))
end

--# each specifier before the epoch
for spec in ("aAbBcdDeFgGhHIjmMprRSTuUVwWxXyYzZ%"):gmatch(".") do
  print(spec, os.date("!%" .. spec, -1))
end

--# each specifier in local time
for spec in ("aAbBcdDeFgGhHIjmMprRSTuUVwWxXyYzZ%"):gmatch(".") do
  print(spec, os.date("%" .. spec, 1234567890))
end

--# century specifier
print(os.date("!%C", 0), os.date("!%C", 1709215445), os.date("!%C%y", 4102444799))

--# E modifiers
for spec in ("cCxXyY"):gmatch(".") do print(spec, os.date("!%E" .. spec, 1709215445)) end

--# O modifiers
for spec in ("deHImMSuUVwWy"):gmatch(".") do print(spec, os.date("!%O" .. spec, 1709215445)) end

--# twelve hour clock
for _, hour in ipairs { 0, 1, 11, 12, 13, 23 } do print(os.date("!%I:%M %p", hour * 3600)) end

--# week numbers around new year
for _, day in ipairs { { 2020, 12, 31 }, { 2021, 1, 1 }, { 2021, 1, 3 }, { 2021, 1, 4 }, { 2023, 1, 1 }, { 2024, 12, 29 }, { 2024, 12, 30 }, { 2026, 12, 31 }, { 2027, 1, 1 } } do
  local t = os.time { year = day[1], month = day[2], day = day[3], hour = 12 }
  print(os.date("!%F %a %G-W%V-%u %g %U %W %w %j", t))
end

--# leap days
for _, year in ipairs { 1900, 2000, 2023, 2024, 2100 } do
  print(year, os.date("!%F %j", os.time { year = year, month = 3, day = 1 } - 86400))
end

--# month and day names
for month = 1, 12 do print(os.date("!%b %B", os.time { year = 2024, month = month, day = 1 })) end
for day = 1, 7 do print(os.date("!%a %A %u %w", os.time { year = 2024, month = 1, day = day })) end

--# day padding
print(os.date("!%d|%e|%m|%j|%H|%I|%M|%S", os.time { year = 2024, month = 2, day = 3, hour = 4, min = 5, sec = 6 }))

--# text around specifiers
print(os.date("!Today is %A, %d %B %Y (100%%).", 1709215445))
print(os.date("!no specifier", 0))
print(os.date("!", 0) == "", os.date("", 0) == "")

--# bytes in a format
print(os.date("!%Y\0%m", 0) == "1970\00001", #os.date("!%Y\0%m", 0))
print(os.date("!été %Y", 0))

--# long format
print(#os.date(("!%Y"):rep(1), 0), #os.date("!" .. ("%A "):rep(200), 0))

--# newline and tab
print(os.date("!a%nb%tc", 0))

--# utc table
local t = os.date("!*t", 1709215445)
print(t.year, t.month, t.day, t.hour, t.min, t.sec, t.wday, t.yday, t.isdst)

--# local table
local t = os.date("*t", 951827696)
print(t.year, t.month, t.day, t.hour, t.min, t.sec, t.wday, t.yday, t.isdst)

--# table has these fields only
local names = {}
for name, value in pairs(os.date("!*t", 0)) do names[#names + 1] = name .. ":" .. type(value) end
table.sort(names)
print(table.concat(names, " "))

--# only the exact table mark makes a table
print(os.date("!*tomorrow", 0), os.date("! *t", 0), os.date("*", 0))

--# table of negative times
for _, time in ipairs { -1, -86400, -86401, -2208988800, -62135596800 } do
  local t = os.date("!*t", time)
  print(time, t.year, t.month, t.day, t.hour, t.min, t.sec, t.wday, t.yday)
end

--# far years
print(os.date("!%F %T", 253402300799))
print(os.date("!%Y", os.time { year = 9999, month = 1, day = 1 }))
print(os.date("!%Y-%m-%d", -62135596800))

--# time of float type
print(os.date("!%F %T", 86400.0))
print(pcall(os.date, "!%F", 1.5))
print(pcall(os.date, "!%F", "x"))
print(os.date("!%F", "86400"))

--# bad specifiers raise
for _, spec in ipairs { "%E", "%O", "%", "%Ez", "%Od!", "%EY%Q", "%Q", "%i", "%k", "%L", "%P", "%s", "%J", "%N", "%5d", "%-d", "%_H", "%+", "%é" } do
  print(spec, pcall(os.date, "!" .. spec, 0))
end

--# bad specifier names the line
print(os.date("!%Y", 0))
print(os.date("%Ea", 0))

--# bad format type
print(pcall(os.date, {}))
print(pcall(os.date, true))
print(pcall(os.date, nil, 0))

--# default format is c
print(os.date("!%c", 0), os.date(nil, 0))

--# current date has the right shape
print(os.date("!%Y-%m-%dT%H:%M:%SZ"):find("^%d%d%d%d%-%d%d%-%d%dT%d%d:%d%d:%d%dZ$"))
print(type(os.date()), type(os.date("*t").year))

--# a year of days
local sum = 0
for day = 0, 365 do
  local t = os.date("!*t", 1704067200 + day * 86400)
  sum = (sum * 31 + t.month * 100 + t.day + t.wday * 7 + t.yday) % 1000003
end
print(sum)
