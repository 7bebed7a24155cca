-- right: true
return tostring(collectgarbage("step", 1 << 22))
