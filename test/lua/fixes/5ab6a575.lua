-- right: chunk:4: attempt to call a nil value (field 'missing')
local chain = assert(load("local t = {}\nt\n.missing\n(\n1)", "=chunk"))
return (select(2, pcall(chain)))
