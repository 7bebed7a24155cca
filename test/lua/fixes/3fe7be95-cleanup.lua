-- right: false disk full; false disk full; true; false second
-- a task that is cancelled while it waits inside xpcall, and whose cleanup fails
local function task (...)
  local errors = { ... }
  return coroutine.create(function ()
    xpcall(function ()
      local guards = {}
      for i, text in ipairs(errors) do
        guards[i] = setmetatable({}, { __close = function () error(text, 0) end })
      end
      local outer <close> = guards[1]
      local inner <close> = guards[2]
      coroutine.yield()
    end, function (message) return "handled: " .. tostring(message) end)
  end)
end
local function cancel (co)
  coroutine.resume(co)
  local ok, reason = coroutine.close(co)
  return ok and "true" or "false " .. tostring(reason)
end
local inside = coroutine.wrap(function () coroutine.yield(cancel(task("disk full"))) end)
return table.concat({
  cancel(task("disk full")), inside(), cancel(task()), cancel(task("second", "first")),
}, "; ")
