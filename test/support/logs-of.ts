/** For scripts that are only asked what they print. */
import { runLua, type LuaRunOptions } from './run-lua.ts'

/** The lines a script logs. @throws when the script fails. */
export async function logsOf(script: string, options?: LuaRunOptions): Promise<readonly string[]> {
  const { logs, error } = await runLua(script, options)
  if (error) throw new Error(`${error.kind}: ${error.message}`)
  return logs
}
