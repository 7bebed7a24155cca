-- The math library and arithmetic: division, rounding, wraparound, types, seeded random numbers.

--# float and integer division
print(7 / 2, 6 / 2, 7 // 2, -7 // 2, 7 // -2, 7.0 // 2, -7 // 2.0, 7 // 0.5)
print(7 % 3, -7 % 3, 7 % -3, -7 % -3, 7.5 % 2, -7.5 % 2, 5.3 % -2 < 0)
print(0 // 5, -0.0 // 5, 1e308 // 1e-10, 5 // math.huge, -5 // math.huge, 5 % math.huge, -5 % math.huge)
print(1 // 0.0, -1 // 0.0, 1 / 0, -1 / 0, 1 % math.huge)

--# division by zero
print(pcall(function() return 1 // 0 end))
print(pcall(function() return 1 % 0 end))
print((tostring(0 / 0):gsub("%-", "")), (tostring(0.0 // 0):gsub("%-", "")), (tostring(1 % 0.0):gsub("%-", "")))
print(1 / 0 == math.huge, 1 / -0.0 == -math.huge)

--# integer division by zero, on one line: lua5.4 may be a release that names the wrong one
local a, b = 10, 0 print(a / b) print(a // b)

--# modulo by zero
local t = { 5, 0 } print(t[1] % t[2])

--# wraparound
print(math.maxinteger + 1 == math.mininteger, math.mininteger - 1 == math.maxinteger, -math.mininteger == math.mininteger)
print(math.maxinteger * 2, math.mininteger * -1, math.mininteger // -1, math.mininteger % -1, math.abs(math.mininteger))
print(1 << 63, 1 << 64, 1 << 62, -1 >> 1, -1 >> 63, 1 << -1, 2 >> -1, 1 >> 64, -1 << 70)
print(math.maxinteger + 1.0, math.maxinteger // 1 | 0, 5 // 1.0)

--# power is a float
print(2 ^ 2, 2 ^ 0.5, 2 ^ -1, (-2) ^ 2, -2 ^ 2, 2 ^ 3 ^ 2, 0 ^ 0, 10 ^ 15, 10 ^ 16)
print((tostring((-8) ^ (1 / 3)):gsub("%-", "")))

--# bitwise
print(5 & 3, 5 | 3, 5 ~ 3, ~5, 1 << 4, 256 >> 4, ~0, 0xFF ~ 0xF0, 3.0 | 0, 2^53 | 0)
print(pcall(function() return 1.5 | 0 end))
print(pcall(function() return 2^63 | 0 end))
print(pcall(function() return 1 & {} end))
print(pcall(function() return 1/0 | 0 end))

--# comparison across types
print(1 == 1.0, math.maxinteger == math.maxinteger + 0.0, math.maxinteger < math.maxinteger + 0.0, 2^53 == 2^53 + 1)
print(1 < 1.5, -1 > -1.5, math.mininteger <= -2^63, math.maxinteger < 2^63, math.maxinteger >= 2^63)
print(0/0 == 0/0, 0/0 < 1, 1 < 0/0, -0.0 == 0.0, 1 < math.huge, math.mininteger > -math.huge)

--# type and tointeger
print(math.type(1), math.type(1.0), math.type("1"), math.type(nil), math.type({}))
print(math.tointeger(3.0), math.tointeger(3.5), math.tointeger("8"), math.tointeger("x"), math.tointeger({}), math.tointeger(2^63), math.tointeger(-2^63))
print(pcall(math.type))
print(pcall(math.tointeger))

--# floor and ceil
print(math.floor(3.7), math.floor(-3.7), math.ceil(3.2), math.ceil(-3.2), math.floor(5), math.ceil(5))
print(math.floor(1e100), math.ceil(-1e100), math.floor(2^53 + 0.0), math.floor(-0.5), math.ceil(-0.5), math.floor(math.huge))
print(math.type(math.floor(3.7)), math.type(math.floor(1e100)))

--# abs max min
print(math.abs(-5), math.abs(-5.5), math.abs(0), math.abs(-0.0), math.max(1, 2.5, 2), math.min(3, 1, 2), math.max(1, 1.0), math.min(1.0, 1))
print(math.max(-math.huge, math.mininteger), math.min(math.huge, math.maxinteger))
print(pcall(math.max))
print(pcall(math.min))
print(pcall(math.max, 1, "x"))
print(pcall(math.max, "10", 9))

--# fmod
print(math.fmod(7, 3), math.fmod(-7, 3), math.fmod(7, -3), math.fmod(-7, -3), math.fmod(7.5, 2), math.fmod(-7.5, 2), math.fmod(6, 4.0))
print(math.fmod(math.mininteger, -1), math.fmod(5, math.huge), math.fmod(5, -1))
print(pcall(math.fmod, 1, 0))
print((tostring(math.fmod(1, 0.0)):gsub("%-", "")))

--# modf
print(math.modf(3.7))
print(math.modf(-3.7))
print(math.modf(5))
print(math.modf(-0.0))
print(math.modf(math.huge))
print(math.modf(-math.huge))
print(math.modf(1e100))

--# roots, exponents and logarithms
print(math.sqrt(16), math.sqrt(2), math.exp(0), math.exp(1), math.log(1), math.log(8, 2), math.log(1000, 10), math.log(27, 3), math.log(2))
print(math.log(0), math.sqrt(0), math.exp(-math.huge), math.exp(710), math.log(1024, 2), math.log(100, 10))
print((tostring(math.sqrt(-1)):gsub("%-", "")), (tostring(math.log(-1)):gsub("%-", "")))

--# trigonometry
print(math.sin(0), math.cos(0), math.tan(0), math.asin(1), math.acos(1), math.atan(1), math.atan(1, -1), math.atan(-1, -1), math.atan(0, -1))
print(string.format("%.10f %.10f %.10f %.10f", math.sin(1), math.cos(1), math.tan(1), math.pi))
print(math.deg(math.pi), math.rad(180), math.deg(1), math.rad(1))

--# constants
print(math.pi, math.huge, -math.huge, math.maxinteger, math.mininteger)

--# ult
print(math.ult(1, 2), math.ult(-1, 2), math.ult(2, -1), math.ult(math.maxinteger, math.mininteger), math.ult(0, 0))
print(pcall(math.ult, 1.5, 2))
print(pcall(math.ult, 1))

--# seeded random
math.randomseed(42)
local a = {}
for i = 1, 8 do a[i] = math.random(100) end
print(table.concat(a, " "))
math.randomseed(42)
for i = 1, 8 do assert(a[i] == math.random(100)) end
print(math.random(1, 6), math.random(-5, 5), math.random(3, 3))
print(string.format("%.12f", math.random()), math.random(0))

--# seeded random with two seeds
math.randomseed(7, 9)
print(math.random(0), math.random(1 << 40), math.random(math.mininteger, math.maxinteger))

--# random stays in range
local low, high = math.huge, -math.huge
for _ = 1, 2000 do
  local x = math.random(3, 5)
  low, high = math.min(low, x), math.max(high, x)
end
print(low, high)
for _ = 1, 2000 do
  local x = math.random()
  assert(x >= 0 and x < 1)
end
print(math.type(math.random()), math.type(math.random(5)), math.type(math.random(0)))

--# random arguments
print(pcall(math.random, 0.5))
print(pcall(math.random, 2, 1))
print(pcall(math.random, -5))
print(pcall(math.random, 1, 2, 3))
print(pcall(math.random, "x"))
print(pcall(math.random, math.mininteger, math.maxinteger) == true)

--# bad arguments
print(pcall(math.floor, "x"))
print(pcall(math.floor, {}))
print(pcall(math.sqrt))
print(pcall(math.abs, nil))
print(math.floor("3.7"), math.sqrt("16"))

--# precedence
print(2 + 3 * 4 ^ 2 / 2, -3 ^ 2, not nil == true, 1 .. 2 == "12", 2 * 3 % 4, 1 << 2 + 1)

--# precedence of bitwise and unary operators
print(5 & 6 | 1 ~ 8, 1 | 2 << 1, "a" .. 1 + 2, -2 ^ -2, 2 ^ -1 ^ 2, #"abc" + 1, -"2" + 3)
