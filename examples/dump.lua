-- Pulls a data set out of an API, page by page, straight into a file.
-- The rows never pass through a model, or through this answer.
if sdk.help() == "No APIs are configured." then
  print("This service has no API for scripts to call yet.")
  print("Its operator describes one in moonbucket.toml:")
  print('  [apis.shop]  spec = "examples/shop.yaml"')
  return { apis = 0 }
end

-- What to look for. Write your own question into Arguments:
-- {"question": "all customers"}
local question = args and args.question or "list all orders"

local function find()
  for _, hit in ipairs(sdk.search(question)) do
    local needs = hit.signature:match("^{(.-)}") or ""
    -- "page?: string" may be left out, "id: string" may not.
    if not needs:find("[%w_]:") then return hit end
  end
  error("Nothing fits \"" .. question .. "\". Ask another question.", 0)
end

local hit = find()
print("pulling " .. hit.name .. hit.signature)

local api, name = hit.name:match("^([^.]+)%.(.+)$")
local path = "output/" .. hit.name .. ".jsonl"
local out <close> = assert(io.open(path, "w"))
local rows = 0

-- The rows of a page: the page itself, or its first list.
local function rows_of(page)
  if type(page) ~= "table" or #page > 0 then return page end
  for _, field in pairs(page) do
    if type(field) == "table" and #field > 0 then return field end
  end
  return {}
end

for page, number in sdk.pages(sdk[api][name], {}) do
  for _, row in ipairs(rows_of(page)) do
    out:write(json.encode(row), "\n")
    rows = rows + 1
  end
  print("page " .. number, rows .. " rows so far")
  if number == 20 then break end -- enough for an example
end

return { file = path, rows = rows }
