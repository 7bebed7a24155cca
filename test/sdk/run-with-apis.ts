/** Runs scripts that call APIs of a sketched catalog. */
import type { ApiSketches } from '../support/make-catalog.ts'
import { runLua, type LuaRunOptions } from '../support/run-lua.ts'
import { scriptApis, type AnswerFetch, type ScriptApisOptions } from '../support/script-apis.ts'

/** @param usual Answers where a test gives no other. */
export function runnerOf(sketches: ApiSketches, usual: AnswerFetch) {
  type Options = Pick<ScriptApisOptions, 'secrets' | 'leftMs'> & LuaRunOptions

  const run = (script: string, answer = usual, options: Options = {}) =>
    runLua(script, { ...options, apis: scriptApis(sketches, answer, options) })

  /** @throws if the script fails. */
  async function resultOf(...asked: Parameters<typeof run>): Promise<unknown> {
    const { result, error } = await run(...asked)
    if (error) throw new Error(`${error.kind}: ${error.message}`)
    return result
  }

  const messageOf = async (...asked: Parameters<typeof run>) => (await run(...asked)).error?.message

  return { run, resultOf, messageOf }
}
