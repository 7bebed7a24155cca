-- right: [] [] [] [--] [aa]
-- only where both the string and the separator are empty is the answer known at once
local rep = string.rep
return string.format("[%s] [%s] [%s] [%s] [%s]",
  rep("", 1000000), rep("", 1000000, ""), rep("", 1, "-"), rep("", 3, "-"), rep("a", 2, ""))
