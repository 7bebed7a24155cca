/** Runs a script for its log only. */
import { runLua, type LuaRunOptions } from './run-lua.ts'

/** @throws if the script fails. */
export async function logsOf(script: string, options?: LuaRunOptions): Promise<readonly string[]> {
  const { logs, error } = await runLua(script, options)
  if (error) throw new Error(`${error.kind}: ${error.message}`)
  return logs
}
