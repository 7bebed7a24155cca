-- right: chunk:1: attempt to perform arithmetic on a table value (field 'b')
local t = {}
t.b = t
local chain = assert(load("local a = ... return a" .. string.rep(".b", 20000) .. " + 1", "=chunk"))
return (select(2, pcall(chain, t)))
