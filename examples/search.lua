-- Finds out what the configured APIs can do, then calls one function.
print(sdk.help()) -- which APIs there are

local question = args and args.question or "list all"
local hits = sdk.search(question)
if #hits == 0 then
  print("Nothing fits. Write another question into Arguments:")
  print('  {"question": "what you want to do"}')
  return { found = 0 }
end

for i, hit in ipairs(hits) do
  print(i .. ".  sdk." .. hit.name .. hit.signature, hit.summary)
end

local first = hits[1]
print("")
print(sdk.help(first.name)) -- its parameters and types

-- A call that fails raises a table: {status, code, message, body}.
local api, name = first.name:match("^([^.]+)%.(.+)$")
local ok, answer = pcall(sdk[api][name], {})
if not ok then
  print("The call failed: " .. tostring(answer))
  return { called = first.name, failed = tostring(answer) }
end
return { called = first.name, answer = answer }
