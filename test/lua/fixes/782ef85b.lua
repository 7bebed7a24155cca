-- right: small, big, big, huge
local label = { [true] = "big", [false] = "small" }
local function size (n) return label[n > 10] end
local function other (n)
  do local unrelated = { [true] = "of another table" } end
  return label[n > 10]
end
local function store (n, text)
  do local unrelated = {} end
  label[n > 10] = text
  return label[true]
end
local _, plain = pcall(size, 50)
plain = tostring(plain):gsub("^[^:]*:%d+: ", "")
return table.concat({ size(5), plain, other(50), store(50, "huge") }, ", ")
