/** Shortens the answer of a run that was started for a program, for a model. */
import type { RequestContext } from '../service.ts'
import { endOfLogs, previewOf } from './keep-output.ts'
import type { ExecuteAnswer } from './run-answer.ts'
import { MAX_MODEL_LOG_BYTES, MAX_MODEL_RESULT_BYTES } from './model-limits.ts'
import { summariseFiles } from './summarise-files.ts'

/** What is left out stays in the answer that programs get. */
export async function shortenAnswer(
  ctx: RequestContext,
  answer: ExecuteAnswer,
  linkTtlS: number | undefined,
): Promise<ExecuteAnswer> {
  const files = await summariseFiles(ctx, answer, linkTtlS)
  const { resultJson } = answer
  const isLong = resultJson.length > MAX_MODEL_RESULT_BYTES
  return {
    ...answer,
    ...files,
    resultJson: isLong ? previewOf(resultJson) : resultJson,
    logs: endOfLogs(answer.logs, MAX_MODEL_LOG_BYTES),
  }
}
