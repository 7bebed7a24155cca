-- right: pattern too complex; pattern too complex
local n = 300000
local step = string.gmatch(string.rep("a", n), string.rep("a?", n))
local _, first = pcall(step)
local _, second = pcall(step)
return first .. "; " .. tostring(second):sub(1, 60)
