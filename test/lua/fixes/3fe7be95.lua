-- right: false 42
local co = coroutine.create(function ()
  local guard <close> = setmetatable({}, { __close = function () local code = 42 error(code) end })
  xpcall(coroutine.yield, function () return "handled" end)
end)
coroutine.resume(co)
local ok, reason = coroutine.close(co)
return tostring(ok) .. " " .. tostring(reason)
