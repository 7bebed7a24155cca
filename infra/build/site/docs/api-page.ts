/** `/docs/api`: every request of the HTTP API. */
import { GROUPS, API_OPERATIONS, type ApiOperation } from '../api/operations.ts'
import { exampleCode } from '../api/examples.ts'
import { failuresByStatus } from '../api/failures.ts'
import type { RecordedAnswer, RecordedAnswers } from '../api/record-answers.ts'
import { fieldsTable } from './fields-table.ts'
import type { DocsPage } from './frame.ts'
import { answerBlock, escapeHtml, heading, inline, languageTabs, table, shownJson } from './html.ts'

const INTRODUCTION = [
  'Requests and responses are JSON, except for file content. Unknown fields are rejected, because they are probably misspelt. Run the examples in order, with a token in the environment variable `TOKEN`.',
  'Responses under `/fs` are `{success, data, error, metadata}`, with the fields below in `data`. Other responses have the fields themselves.',
]

export function apiPage(answers: RecordedAnswers): DocsPage {
  const groups = GROUPS.map((group) => ({
    group,
    operations: API_OPERATIONS.filter((operation) => operation.group === group),
  }))
  return {
    path: '/docs/api',
    title: 'HTTP API reference',
    description: 'Every request of the HTTP API with its fields, an example and its response.',
    contents: groups.map(({ group, operations }) => ({
      title: group,
      links: operations.map(({ id, title }) => ({ href: `/docs/api#${id}`, text: title })),
    })),
    main: `<h1>HTTP API reference</h1>
${INTRODUCTION.map((text) => `<p>${inline(text)}</p>`).join('\n')}
${table('All requests', ['Request', 'Purpose'], API_OPERATIONS.map(overviewRow))}
${groups.map(({ group, operations }) => heading(2, group) + operations.map((operation) => section(operation, answers)).join('\n')).join('\n')}`,
  }
}

function overviewRow({ id, method, path, title }: ApiOperation): string[] {
  const request = `<code>${method.toUpperCase()} ${escapeHtml(path)}</code>`
  return [request, `<a href="#${id}">${escapeHtml(title)}</a>`]
}

function section(operation: ApiOperation, answers: RecordedAnswers): string {
  const { id, method, path, title, description, params, query, headers, body } = operation
  return `<section class="operation" aria-labelledby="${id}">
${heading(3, title, id)}
<p class="request"><span class="method ${method}">${method.toUpperCase()}</span> <code>${escapeHtml(path)}</code></p>
<p>${inline(description)}</p>
<p class="quiet">${scopesText(operation)}</p>
${params ? `<h4>Path</h4>${fieldsTable(`Path parameters of ${title}`, params, 'input')}` : ''}
${query ? `<h4>Query</h4>${fieldsTable(`Query parameters of ${title}`, query, 'input')}` : ''}
${headers ? `<h4>Headers</h4>${fieldsTable(`Headers of ${title}`, headers, 'input')}` : ''}
${bodyText(title, body)}
<h4>Example</h4>
${languageTabs(exampleCode(operation), title)}
${exampleAnswer(title, answers.get(id))}
${answerFields(operation)}
<p class="quiet">Errors: ${failuresText(operation)}</p>
</section>`
}

function scopesText({ scopes }: ApiOperation): string {
  if (!scopes) return 'Requires no bearer token.'
  return `Requires the scope ${scopes.map((scope) => `<code>${scope}</code>`).join(' and ')}.`
}

function bodyText(title: string, body: ApiOperation['body']): string {
  if (!body) return ''
  if (body === 'bytes') return '<h4>Body</h4><p>The bytes themselves, of any type.</p>'
  return `<h4>Body</h4>${fieldsTable(`Fields of the body of ${title}`, body, 'input')}`
}

function exampleAnswer(title: string, answer: RecordedAnswer | undefined): string {
  if (!answer) return ''
  const isJson = answer.contentType === 'application/json'
  const shown = isJson ? shownJson(answer.text) : answer.text.trimEnd()
  const type = `<code>${escapeHtml(answer.contentType)}</code>`
  return `<p>Response: ${answer.status}, ${type}</p>
${answerBlock(shown, isJson ? 'json' : 'text', `Response of ${title}`)}`
}

/** The fields inside the envelope, if there is one. */
function answerFields({ title, answers, hasEnvelope }: ApiOperation): string {
  const schema = answers[0]?.content?.['application/json']
  if (!schema || typeof schema === 'string') return ''
  const fields = hasEnvelope
    ? (schema as unknown as { shape: { data: typeof schema } }).shape.data
    : schema
  const shown = fieldsTable(`Fields of the response of ${title}`, fields, 'output')
  return shown && `<h4>Response</h4>${shown}`
}

function failuresText({ failures }: ApiOperation): string {
  const listed = Array.from(failuresByStatus(failures), ([status, all]) => {
    const codes = all.map(({ code }) => `<a href="/docs/errors#${code}"><code>${code}</code></a>`)
    return `${status} ${codes.join(', ')}`
  })
  return `${listed.join('; ')}.`
}
