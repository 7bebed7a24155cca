-- right: false closing
-- when the error is raised, the stack is so small that the handler's place lies in freed memory
local function deep (n, f)
  if n == 0 then xpcall(coroutine.yield, f) return 0 end
  return 1 + deep(n - 1, f)
end
local co = coroutine.create(function ()
  local guard <close> = setmetatable({}, { __close = function ()
    collectgarbage() collectgarbage()
    error("closing", 0)
  end })
  deep(20000, print)
end)
coroutine.resume(co)
local ok, reason = coroutine.close(co)
return tostring(ok) .. " " .. tostring(reason)
