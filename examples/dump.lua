-- Pulls a data set out of an API, all pages of it, straight into a file.
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
local dump = sdk.dump(sdk[api][name], {}, {
  save_to = "output/" .. hit.name .. ".jsonl",
  next = args and args.next, -- where an earlier run stopped
})

return { file = dump.path, rows = dump.rows, stopped = dump.stopped, next = dump.next }
