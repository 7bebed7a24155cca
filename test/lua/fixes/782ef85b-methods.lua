-- right: on:lamp off:lamp; nil true; fallback; 1 9
-- calls, methods, `==` with nil and constants, and compound conditions as an index
local actions = {
  [true] = function (name) return "on:" .. name end,
  [false] = function (name) return "off:" .. name end,
}
local function switch (level, name) return actions[level > 0](name) end

local Set = {}
function Set.has (a, b) return Set[a == nil], Set[b ~= "x"] end
Set[false] = true
local missing, found = Set.has(nil, "x")

local names = setmetatable({}, { __index = function (_, key) return key and "fallback" or "wrong" end })
local function named (a, b) return names[a <= b and b >= a] end

local marks = {}
local function mark (a, b, value) marks[a ~= b], marks[a == b] = value, value + 8 end
mark("x", "y", 1)

return switch(1, "lamp") .. " " .. switch(0, "lamp") .. "; " .. tostring(missing) .. " "
  .. tostring(found) .. "; " .. named(1, 2) .. "; " .. marks[true] .. " " .. marks[false]
