-- right: chunk:1: attempt to perform arithmetic on a nil value (field 'x')
local chunk = assert(load("return ('_ENV').x + 1", "=chunk"))
return (select(2, pcall(chunk)))
