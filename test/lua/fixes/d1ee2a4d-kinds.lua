-- right: field 'x'; field '?'; field 'x'; global 'x'; global 'x'; global 'x'; global 'x'; method 'x'
-- what is called global: fields of a variable _ENV, not of a string or a field of that name
local function kind (code)
  local _, message = pcall(assert(load(code, "=chunk")))
  return message:match("%((.*)%)") or message
end
return table.concat({
  kind "local a = {_ENV = {}} return a._ENV.x + 1",
  kind "local key = 'x' return ('_ENV')[key] + 1",
  kind "local a = {_ENV = {_ENV = {}}} return a._ENV._ENV.x()",
  kind "return x + 1",
  kind "local _ENV = {} return x + 1",
  kind "local _ENV = {} return (function () return x.y end)()",
  kind "return _ENV.x.y",
  kind "return ('_ENV'):x()",
}, "; ")
