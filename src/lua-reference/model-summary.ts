/**
 * Names listed in the description of `execute_script`: models know stock Lua, so only files,
 * additions and omissions matter. Names only: everything a Worker imports is uploaded.
 */
export const MODEL_SUMMARY = {
  io: ['io.open', 'io.lines'],
  handle: ['handle:read', 'handle:write', 'handle:lines', 'handle:seek', 'handle:close'],
  files: ['io.list(folder)', 'os.remove', 'os.rename'],
  libraries: ['string', 'table', 'math', 'utf8', 'coroutine'],
  time: ['os.time', 'os.date', 'os.clock'],
  json: ['json.encode(v)', 'json.decode(s)', 'json.null', 'json.array(t)'],
  log: 'print',
  absent: ['require', 'debug', 'os.execute', 'os.getenv', 'io.popen', 'io.read'],
} as const
