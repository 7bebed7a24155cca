-- right: chunk:2: attempt to assign to const variable 'f'
local _, message = load("local f <const> = 1\nfunction f ()\n  return 1\nend\nreturn f", "=chunk")
return message
