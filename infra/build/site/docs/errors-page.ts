/** `/docs/errors`: failures of requests and of scripts. */
import type { ScriptErrorKind } from '../../../../src/vm/script-error.ts'
import { FAILURES } from '../api/failures.ts'
import type { DocsPage } from './frame.ts'
import { answerBlock, heading, inline, table } from './html.ts'

/** To a request without a token. */
export const SHOWN_ERROR = `{
  "error": {
    "code": "unauthenticated",
    "message": "A bearer token is required.",
    "request_id": "5f0c2a9e"
  }
}`

/** To a request for a file that is not there. */
export const SHOWN_REFUSAL = `{
  "success": false,
  "data": null,
  "error": "There is no file \\"notes/today.txt\\". Check the name, or list the folder it should be in.",
  "metadata": { "operation": "read", "request_id": "5f0c2a9e" }
}`

/** In the order of a run. */
const KINDS: Readonly<Record<ScriptErrorKind, string>> = {
  syntax: 'The script is not Lua; `line` says where. Nothing ran.',
  runtime: 'The script raised an error that nobody caught.',
  fuel: 'The script computed more than it may. Nothing in Lua can catch this.',
  memory: 'The VM is full.',
  timeout: 'The run took too long, waiting included. What was closed is still stored.',
  limit: 'Too many bytes, open files, files or API calls.',
  storage: 'A file could not be stored: its row has `"stored": false`.',
  result: 'The returned value cannot be JSON: it contains itself, or is too deep.',
}

export function errorsPage(): DocsPage {
  return {
    path: '/docs/errors',
    title: 'Errors',
    description: 'What can go wrong with a request or a script, and what to do about it.',
    main: `<h1>Errors</h1>
${heading(2, 'Requests')}
<p>${inline('A request that cannot be served has a status of its own. `code` is stable, `message` is for people, and `request_id` is also in the header `X-Request-Id` and in the log:')}</p>
${answerBlock(SHOWN_ERROR, 'json', 'Body of a failure')}
<p>${inline('Under `/fs` the same statuses come with the envelope, in which `error` is one sentence:')}</p>
${answerBlock(SHOWN_REFUSAL, 'json', 'Envelope of a failure')}
<p>${inline('Answers with 401, and with 403 for a missing scope, have `WWW-Authenticate`; those with 429 and 503 have `Retry-After` in seconds.')}</p>
${table(
  'Codes of failures',
  ['Code', 'Status', 'Meaning'],
  FAILURES.map(({ code, status, meaning }) => [
    `<code id="${code}">${code}</code>`,
    String(status),
    inline(meaning),
  ]),
)}
${heading(2, 'Scripts')}
<p>${inline('A script that fails is an answer with the status 200: its `error` has a `kind`, a `message` and, where they are known, a `line` and a `traceback`. Logs and files are in the answer all the same.')}</p>
${table(
  'Kinds of script errors',
  ['Kind', 'Meaning'],
  Object.entries(KINDS).map(([kind, meaning]) => [`<code>${kind}</code>`, inline(meaning)]),
)}`,
  }
}
