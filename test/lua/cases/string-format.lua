-- string.format: every conversion with its flags, widths and precisions, %q, and what it refuses.

--# d and i
print(string.format("%d|%i|%5d|%-5d|%05d|%+d|% d|%.3d|%8.3d|%-8.3d|", 42, 42, 42, 42, 42, 42, 42, 42, 42, 42))
print(string.format("%d %d %d", -0, math.maxinteger, math.mininteger))
print(string.format("%+5d|%-+5d|% 5d|%+05d", -3, 3, -3, 3))
print(string.format("%d %d %d", 3.0, "10", "0x10"))

--# d refuses fractions
print(pcall(string.format, "%d", 1.5))
print(pcall(string.format, "%d", "1.5"))
print(pcall(string.format, "%d", 2^63))
print(pcall(string.format, "%d", "x"))
print(pcall(string.format, "%x", 0.5))
print(pcall(string.format, "%c", "a"))

--# x X o
print(string.format("%x %X %#x %#X %o %#o", 255, 255, 255, 255, 8, 8))
print(string.format("%x %X %o", -1, -1, -1))
print(string.format("%08x|%-8x|%8X|%.4x|%#010x", 48879, 48879, 48879, 15, 48879))

--# c
print(string.format("%c%c%c", 76, 117, 97))
print(#string.format("%c", 0), string.format("%5c|%-5c|", 65, 66))
print(string.format("%c", 256 + 65))

--# f
print(string.format("%f %.0f %.1f %.10f %10.2f|%-10.2f|%+.2f|% .2f|%010.2f", 3.14159, 2.5, 0.05, 1/3, 3.14159, 3.14159, 3.14159, 3.14159, -3.14159))
print(string.format("%#.0f %.0f %.0f %.0f", 1, 0.5, 1.5, 2.5))
print(string.format("%.20f", 0.1))
print(string.format("%.3f", 2^53))
print(string.format("%f", 1e15))
print(string.format("%.0f", 1e22))
print(string.format("%5.1f|%5.1f", -0.04, -0.0))

--# e
print(string.format("%e %.0e %.3E %12.2e|%-12.2e|%+e %#.0e", 12345.678, 12345.678, 12345.678, 12345.678, 12345.678, 0, 5))
print(string.format("%e %e %e", 1e-300, 1e300, -0.0))

--# g
for _, x in ipairs { 0, 1, 100000, 1000000, 0.0001, 0.00001, 123456789, 1e20, -0.0, 0.1, 1/3 } do
  print(string.format("%g %G %.3g %.10g %#g %.14g %.17g", x, x, x, x, x, x, x))
end

--# infinities and nan
print(string.format("%f %e %g %5.1f|%-6.1f|%+f|%06.1f", math.huge, math.huge, -math.huge, math.huge, math.huge, math.huge, math.huge))
print((string.format("%f %g", 0/0, 0/0):gsub("%-", "")))

--# a
print(string.format("%a %a %a %a %a", 1, 0.5, 10, -3.75, 0))
print(string.format("%A %A", 255.5, 1e10))
print(string.format("%.1a %.3a %20a|%-20a|%+a", 1.5, 3.14159, 1, 1, 1))
print(string.format("%a %a", 0.1, 1e300))

--# s
print(string.format("%s|%10s|%-10s|%.2s|%10.2s|%-10.2s|", "text", "text", "text", "text", "text", "text"))
print(string.format("%s %s %s %s", 1, 1.0, true, nil))
print(string.format("%s", setmetatable({}, { __tostring = function() return "meta" end })))
print(string.format("%.3s", setmetatable({}, { __tostring = function() return "abcdef" end })))
print(string.format("%s", "") == "", string.format("%5s", "") == "     ", string.format("%.0s", "x") == "")
print(#string.format("%s", ("x"):rep(5000)))

--# s with NUL
print(#string.format("%s", "a\0b"), #string.format("%s%s", "a\0", "\0b"))
print(pcall(string.format, "%10s", "a\0b"))

--# s with a long string and width
print(#string.format("%99s", "x"), #string.format("%-99s", ("y"):rep(200)))

--# percent
print(string.format("100%%"), string.format("%%d"), string.format("%%%d%%", 5))

--# q strings
print(string.format("%q", 'say "hi"\\ there'))
print(string.format("%q", "tab\tnew\nline\rcr\0nul\1one"))
print(string.format("%q", "\0001\0012\200\xff"))
print(string.format("%q", ""))

--# q numbers
print(string.format("%q %q %q", 1, -1, math.maxinteger))
print(string.format("%q", math.mininteger))
print(string.format("%q %q %q %q", 0.5, 1.0, -0.0, 1e100))
print(string.format("%q %q %q", 1/0, -1/0, 0/0))

--# q other values
print(string.format("%q %q %q", nil, true, false))
print(pcall(string.format, "%q", {}))
print(pcall(string.format, "%q", print))
print(pcall(string.format, "%10q", "x"))
print(pcall(string.format, "%.2q", "x"))

--# q can be read back
for _, v in ipairs { "a\nb\0c\"d\\", 0.1, -2^53, math.mininteger, 1e300, true } do
  print(load("return " .. string.format("%q", v))() == v)
end

--# invalid conversions
for _, f in ipairs { "%y", "%", "%10", "%u", "%n", "%ld", "%v", "%-", "%.", "%é" } do
  print(f, pcall(string.format, f, 1))
end

--# invalid flags and sizes
for _, f in ipairs { "%100d", "%.100d", "%0100d", "%-- d", "%123s", "%.123f", "%##x", "%#s", "%+s", "%0s", "% s", "%#d", "%+x", "%0c", "%.3c", "%010c", "% x", "%+c" } do
  print(f, pcall(string.format, f, 1))
end

--# largest width and precision
print(#string.format("%99d", 1), #string.format("%.99d", 1), #string.format("%99.99f", 1.5), #string.format("%.99f", 1e308))

--# missing arguments
print(pcall(string.format, "%d"))
print(pcall(string.format, "%s"))
print(pcall(string.format, "%s %s", 1))
print(pcall(string.format, "%q"))
print(pcall(string.format))
print(pcall(string.format, nil))

--# extra arguments are ignored
print(string.format("%d", 1, 2, 3), string.format("none", 1))

--# number formats convert strings
print(string.format("%d %5.1f %s %x", "42", "3.14159", 7, "255"))
print(string.format("%g", "1e2"))

--# method form
print(("%s=%d"):format("x", 1), ("%5.2f"):format(1/3))
print(("%d"):rep(3, ","):format(1, 2, 3))

--# bad argument names its position
local function f() return ("%d %d"):format(1, "two") end
f()

--# tostring metamethod that fails
local t = setmetatable({}, { __tostring = function() error("no text", 0) end })
print(pcall(string.format, "%s", t))
print(pcall(string.format, "%d", t))
