/** `/docs/errors`: errors of requests and scripts. */
import type { ScriptErrorKind } from '../../../../src/vm/script-error.ts'
import { FAILURES } from '../api/failures.ts'
import type { DocsPage } from './frame.ts'
import { answerBlock, heading, inline, table } from './html.ts'

/** Response to a request without a token. */
export const SHOWN_ERROR = `{
  "error": {
    "code": "unauthenticated",
    "message": "A bearer token is required.",
    "request_id": "5f0c2a9e"
  }
}`

/** Response to a request for a missing file. */
export const SHOWN_REFUSAL = `{
  "success": false,
  "data": null,
  "error": "There is no file \\"notes/today.txt\\". Check the name, or list the folder it should be in.",
  "code": "not_found",
  "metadata": { "operation": "read", "request_id": "5f0c2a9e" }
}`

/** In the order in which they can occur in a run. */
const KINDS: Readonly<Record<ScriptErrorKind, string>> = {
  syntax: 'The script is not valid Lua; `line` says where. Nothing ran.',
  runtime: 'The script raised an error and did not catch it.',
  fuel: 'The script used up its fuel. Lua cannot catch this.',
  memory: 'The VM ran out of memory.',
  timeout: 'The run took too long, including waiting. Closed files are still stored.',
  limit: 'The run wrote too many bytes, opened too many files, or made too many API calls.',
  storage: 'A file could not be stored; its entry has `"stored": false`.',
  result: 'The returned value cannot be JSON: it contains itself or is nested too deeply.',
}

export function errorsPage(): DocsPage {
  return {
    path: '/docs/errors',
    title: 'Errors',
    description: 'Every error of a request or a script, and what to do about it.',
    main: `<h1>Errors</h1>
${heading(2, 'Requests')}
<p>${inline('A request that cannot be served gets an error status. `code` is stable, `message` is for people, and `request_id` is also in the header `X-Request-Id` and in the log:')}</p>
${answerBlock(SHOWN_ERROR, 'json', 'Body of an error')}
<p>${inline('Under `/fs`, the same statuses have an envelope in which `error` is one sentence:')}</p>
${answerBlock(SHOWN_REFUSAL, 'json', 'Envelope of an error')}
<p>${inline('Responses with 401, and with 403 for a missing scope, have a `WWW-Authenticate` header. Responses with 429 and 503 have `Retry-After` in seconds.')}</p>
${table(
  'Error codes',
  ['Code', 'Status', 'Meaning'],
  FAILURES.map(({ code, status, meaning }) => [
    `<code id="${code}">${code}</code>`,
    String(status),
    inline(meaning),
  ]),
)}
${heading(2, 'Scripts')}
<p>${inline('If a script fails, the response still has the status 200, with the logs and files. Its `error` has a `kind`, a `message` and, if known, a `line` and a `traceback`.')}</p>
${table(
  'Kinds of script errors',
  ['Kind', 'Meaning'],
  Object.entries(KINDS).map(([kind, meaning]) => [`<code>${kind}</code>`, inline(meaning)]),
)}`,
  }
}
