-- right: (field '?'); (method 'b'); (field 'b'); (field '?')
-- the same depth by keys in registers, by method calls, by moves of results and of keys of keys
local depth = 20000
local t = setmetatable({}, { __call = function (self) return self end })
t.b, t[t] = t, t
local function shape (code)
  local _, message = pcall(assert(load(code, "=chunk")), t)
  return message:match("%(.*%)") or message
end
return table.concat({
  shape("local a = ... return a" .. string.rep("[a]", depth) .. " + 1"),
  shape("local a = ... a.b = nil return a" .. string.rep("[a]", depth) .. ":b()"),
  shape("local a = ... a.b = a return (a" .. string.rep(".b", depth) .. ") .. {}"),
  shape("local a = ... a.b = a return a" .. string.rep("[a.b", 150) .. string.rep("]", 150) .. " + 1"),
}, "; ")
