-- What a script can ask of its process: its end, its environment, its locale.

--# exit
print("before")
os.exit()
print("after")

--# exit with success
io.write("half a line")
os.exit(true)

--# exit with zero
local f = io.open("f", "w")
f:write("x")
os.exit(0)

--# exit inside pcall
print(pcall(function() print("inside") os.exit(0) end))
print("after")

--# exit inside a coroutine
local co = coroutine.wrap(function() print("inside") pcall(os.exit, true) end)
co()
print("after")

--# exit inside a comparison
table.sort({ 3, 1, 2 }, function() print("compared") os.exit() end)

--# exit does not close variables
local guard <close> = setmetatable({}, { __close = function() print("closed") end })
os.exit(true)

--# exit takes a number or a boolean
print(pcall(os.exit, {}))
print(pcall(os.exit, "x"))
print(pcall(os.exit, 1.5))

--# environment
print(os.getenv("NO_SUCH_NAME"))
print(pcall(os.getenv))
print(pcall(os.getenv, {}))

--# locale
print(os.setlocale(), os.setlocale(nil), os.setlocale("C"), os.setlocale("POSIX"), os.setlocale(""))
print(os.setlocale("xx_XX.UTF-8"), os.setlocale("xx_XX", "numeric"), os.setlocale("c"))
for _, category in ipairs { "all", "collate", "ctype", "monetary", "numeric", "time" } do
  io.write(os.setlocale(nil, category), " ", os.setlocale("C", category), " ")
end
print()
print(pcall(os.setlocale, "C", "other"))
print(pcall(os.setlocale, {}))
print(pcall(os.setlocale, "C", {}))
