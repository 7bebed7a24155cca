-- right: 0
return tostring(#string.rep("", 1 << 40))
