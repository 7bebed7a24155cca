-- os.time and os.difftime: tables, normalisation, and the fields they insist on.

--# fixed dates
print(os.time { year = 1970, month = 1, day = 1, hour = 0 })
print(os.time { year = 2000, month = 1, day = 1, hour = 0 })
print(os.time { year = 2024, month = 2, day = 29, hour = 14, min = 4, sec = 5 })
print(os.time { year = 1969, month = 12, day = 31, hour = 23, min = 59, sec = 58 })
print(os.time { year = 1900, month = 1, day = 1, hour = 0 })
print(os.time { year = 2038, month = 1, day = 19, hour = 3, min = 14, sec = 8 })
print(os.time { year = 9999, month = 12, day = 31, hour = 23, min = 59, sec = 59 })

--# hour defaults to noon
print(os.time { year = 1970, month = 1, day = 1 })
print(os.time { year = 1970, month = 1, day = 1, min = 30 })

--# result is an integer
print(math.type(os.time()), math.type(os.time { year = 2020, month = 1, day = 1 }))

--# overflowing fields are normalised
local function show(t) print(os.date("!%F %T", os.time(t))) end
show { year = 2024, month = 13, day = 1, hour = 0 }
show { year = 2024, month = 0, day = 1, hour = 0 }
show { year = 2024, month = -11, day = 1, hour = 0 }
show { year = 2024, month = 1, day = 0, hour = 0 }
show { year = 2024, month = 3, day = 0, hour = 0 }
show { year = 2023, month = 2, day = 30, hour = 0 }
show { year = 2024, month = 1, day = 366, hour = 0 }
show { year = 2024, month = 1, day = 1, hour = 25, min = 61, sec = 61 }
show { year = 2024, month = 1, day = 1, hour = -1 }
show { year = 2024, month = 1, day = 1, hour = 0, min = 0, sec = -1 }
show { year = 2024, month = 1, day = 1, hour = 0, sec = 86400 * 365 }
show { year = 2024, month = 25, day = -30, hour = 100, min = -100, sec = 1000 }

--# the table is updated
local t = { year = 2024, month = 14, day = 31, hour = 26, min = 70, sec = 80 }
os.time(t)
print(t.year, t.month, t.day, t.hour, t.min, t.sec, t.wday, t.yday, t.isdst)

--# adding days through a table
local t = os.date("*t", os.time { year = 2024, month = 2, day = 27, hour = 0 })
for _ = 1, 4 do
  t.day = t.day + 1
  print(os.date("!%F %a", os.time(t)))
end

--# round trip
for _, time in ipairs { 0, 1, 86399, 951782400, 1709215445, -2, -86400, 4102444800 } do
  print(time, os.time(os.date("*t", time)) == time)
end

--# one second before the epoch cannot be told from failure
print(os.date("!%F %T", -1))
print(pcall(os.time, { year = 1969, month = 12, day = 31, hour = 23, min = 59, sec = 59 }))

--# wday and yday are ignored on input
print(os.time { year = 2024, month = 1, day = 1, hour = 0, wday = 5, yday = 300 })

--# isdst on input
print(os.time { year = 2024, month = 1, day = 1, hour = 0, isdst = false })

--# missing fields
print(pcall(os.time, { month = 1, day = 1 }))
print(pcall(os.time, { year = 2024, day = 1 }))
print(pcall(os.time, { year = 2024, month = 1 }))
print(pcall(os.time, {}))

--# missing field names the line
local t = { year = 2024, month = 5 }
print(os.time(t))

--# fields that are no integers
print(pcall(os.time, { year = "x", month = 1, day = 1 }))
print(pcall(os.time, { year = 2024, month = 1.5, day = 1 }))
print(pcall(os.time, { year = 2024, month = 1, day = {} }))
print(pcall(os.time, { year = 2024, month = 1, day = 1, hour = "noon" }))
print(pcall(os.time, { year = 2024, month = 1, day = 1, sec = true }))

--# fields that convert
print(os.time { year = "2024", month = "1", day = 1.0, hour = "0" })

--# fields out of bounds
print(pcall(os.time, { year = 2^40, month = 1, day = 1 }))
print(pcall(os.time, { year = 2024, month = math.maxinteger, day = 1 }))
print(pcall(os.time, { year = 2024, month = 1, day = math.mininteger }))
print(pcall(os.time, { year = 2024, month = 1, day = 1, sec = 1 << 40 }))

--# argument type
print(pcall(os.time, 5))
print(pcall(os.time, "now"))
print(pcall(os.time, true))

--# nil means now
print(math.type(os.time(nil)), os.time() - os.time(nil) <= 0)

--# fields by metamethod
local t = setmetatable({}, { __index = { year = 2024, month = 6, day = 15, hour = 0 } })
print(os.time(t), rawget(t, "year"))

--# difftime
print(os.difftime(10, 4), os.difftime(4, 10), os.difftime(5, 5))
print(math.type(os.difftime(2, 1)))
local a = os.time { year = 2024, month = 3, day = 1 }
local b = os.time { year = 2024, month = 2, day = 1 }
print(os.difftime(a, b) / 86400)

--# difftime arguments
print(pcall(os.difftime))
print(pcall(os.difftime, 1))
print(pcall(os.difftime, 1.5, 1))
print(pcall(os.difftime, "x", 1))
print(os.difftime("10", 4.0))

--# days between dates
local function days(y, m, d) return os.time { year = y, month = m, day = d, hour = 0 } // 86400 end
print(days(2024, 12, 25) - days(2024, 1, 1), days(2000, 3, 1) - days(2000, 2, 28), days(1, 1, 1))
