-- right: chunk:3: attempt to assign to const variable 'log'; 42 7 abc
-- a constant of an outer function; functions, fields and methods are defined as before
local _, message = load([[
local log <const> = print
local function setup ()
  function log (text)
    return text

  end
end
]], "=chunk")
local value
function value () return 42 end
local t = { inner = {} }
function t.inner.field () return 7 end
function t.inner:method (b, c) return (self == t.inner and "a" or "?") .. b .. c end
return message .. "; " .. value() .. " " .. t.inner.field() .. " " .. t.inner:method("b", "c")
