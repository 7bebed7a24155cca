-- right: C stack overflow; error in error handling; error in error handling; error in error handling
-- with enough memory the errors are what they were
local function last (_, message)
  return tostring(message):match("C stack overflow") or tostring(message):match("stack overflow") or message
end
local function again (message) error(message) end
local function deep () return 1 + deep() end
local nested = setmetatable({}, { __index = function (t, k) return t[k + 1] end })
local co = coroutine.create(function ()
  local guard <close> = setmetatable({}, { __close = deep })
  deep()
end)
coroutine.resume(co)
return table.concat({
  last(pcall(function () return nested[1] end)),
  last(xpcall(error, again, "x")),
  last(xpcall(deep, deep)),
  last(coroutine.close(co)),
}, "; ")
