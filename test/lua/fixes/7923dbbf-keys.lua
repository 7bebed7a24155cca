-- right: (field '?'); (method 'b'); (field 'b'); (field '?'); 'sub' (string expected, got no value)
-- the same depth by keys in registers, by method calls, by keys of keys and by the name of a function
local depth = 20000
local t = {}
t.b, t[t] = t, t
local function shape (code)
  local _, message = pcall(assert(load(code, "=chunk")), t)
  return message:match("'sub' .*") or message:match("%(.*%)") or message
end
return table.concat({
  shape("local a = ... return a" .. string.rep("[a]", depth) .. " + 1"),
  shape("local a = ... a.b = nil return a" .. string.rep("[a]", depth) .. ":b()"),
  shape("local a = ... a.b = a return (a" .. string.rep(".b", depth) .. ") .. {}"),
  shape("local a = ... a.b = a return a" .. string.rep("[a.b", 150) .. string.rep("]", 150) .. " + 1"),
  shape("local a = ... a.sub = string.sub return a" .. string.rep(".b", depth) .. ".sub()"),
}, "; ")
