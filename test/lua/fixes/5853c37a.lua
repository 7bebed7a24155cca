-- right: join:1: string length overflow
-- 190 references to one string and a tail: the sum fits in 32 bits, the sum and the string's header do not
local part, tail = string.rep("x", 22605090), string.rep("y", 190)
local code = "local a, b = ... return " .. string.rep("a", 190, "..") .. "..b"
local join = assert(load(code, "=join"))
return (select(2, pcall(join, part, tail)))
