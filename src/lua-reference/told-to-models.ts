/**
 * The names that the description of `execute_script` spells out: a model knows stock Lua, so it is told where the
 * files are, what is new and what is missing. Hardly more than names, because all that a Worker imports is uploaded.
 */
export const TOLD_TO_MODELS = {
  io: ['io.open', 'io.lines'],
  handle: ['handle:read', 'handle:write', 'handle:lines', 'handle:seek', 'handle:close'],
  files: ['io.list(folder)', 'os.remove', 'os.rename'],
  libraries: ['string', 'table', 'math', 'utf8', 'coroutine'],
  time: ['os.time', 'os.date', 'os.clock'],
  json: ['json.encode(v)', 'json.decode(s)', 'json.null', 'json.array(t)'],
  log: 'print',
  absent: ['require', 'debug', 'os.execute', 'os.getenv', 'io.popen', 'io.read'],
} as const
