/** Writes one request as code in several languages. */
import { PLACEHOLDER_ORIGIN } from '../../../../src/site/placeholder-origin.ts'
import { javaScriptLiteral, pythonLiteral } from './literals.ts'

/** `$TOKEN` and other variables of the environment may stand in values. */
export interface CodeRequest {
  readonly method: string
  /** With its query. */
  readonly address: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body?: { readonly json: unknown } | { readonly text: string }
}

export interface CodeVariant {
  readonly name: string
  readonly language: 'sh' | 'ts' | 'py' | 'lua'
  readonly code: string
}

export function codeVariants(request: CodeRequest): CodeVariant[] {
  return [
    { name: 'curl', language: 'sh', code: curl(request) },
    { name: 'TypeScript', language: 'ts', code: typescript(request) },
    { name: 'Python', language: 'py', code: python(request) },
  ]
}

/**
 * Reads a request as it is written in the guides: a line `POST /execute`, headers, and a body.
 *
 * @throws if it is not one.
 */
export function parseRequest(text: string): CodeRequest {
  const [head = '', ...rest] = text.split('\n\n')
  const [first = '', ...lines] = head.split('\n')
  const [, method, address] = /^(GET|POST|PUT|DELETE) (\/\S+)$/.exec(first) ?? []
  if (!method || !address) throw new Error(`not a request: ${first}`)
  const headers = lines.map((line) => {
    const [, name, value] = /^([\w-]+): (.+)$/.exec(line) ?? []
    if (!name || !value) throw new Error(`not a header: ${line}`)
    return [name, value] as const
  })
  const body = rest.join('\n\n')
  const isJson = headers.some(([, value]) => value === 'application/json')
  return {
    method,
    address,
    headers,
    ...(body !== '' && { body: isJson ? { json: JSON.parse(body) as unknown } : { text: body } }),
  }
}

function curl({ method, address, headers, body }: CodeRequest): string {
  const url = PLACEHOLDER_ORIGIN + address
  return [
    `curl -s ${hasOwnVerb(method) ? `-X ${method} ` : ''}${/[?$]/.test(url) ? `"${url}"` : url}`,
    ...headers.map(([name, value]) => {
      const header = `${name}: ${value}`
      return `-H ${header.includes('$') ? `"${header}"` : shellQuoted(header)}`
    }),
    ...(!body
      ? []
      : 'json' in body
        ? [`-d ${shellQuoted(shownBody(body.json))}`]
        : [`--data-binary ${shellQuoted(body.text)}`]),
  ].join(' \\\n  ')
}

/** Not chosen by whether there is a body. */
function hasOwnVerb(method: string): boolean {
  return method === 'PUT' || method === 'DELETE'
}

/** On one line if that is short. */
function shownBody(json: unknown): string {
  const line = JSON.stringify(json)
  return line.length <= 70 ? line : JSON.stringify(json, null, 2)
}

/** For a POSIX shell. */
function shellQuoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

const VARIABLE = /\$([A-Z_]+)/g

function typescript(request: CodeRequest): string {
  const { method, address, headers, body } = request
  const string = (text: string) =>
    text.search(VARIABLE) < 0
      ? javaScriptLiteral(text)
      : `\`${text.replaceAll(VARIABLE, '${process.env.$1}')}\``
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length === 0 ? [] : ['  headers: {']),
    ...headers.map(([name, value]) => `    ${quotedName(name)}: ${string(value)},`),
    ...(headers.length === 0 ? [] : ['  },']),
    ...(!body
      ? []
      : 'json' in body
        ? [`  body: JSON.stringify(${javaScriptLiteral(body.json, '  ')}),`]
        : [`  body: ${javaScriptLiteral(body.text)},`]),
  ]
  const url = string(PLACEHOLDER_ORIGIN + address)
  const call = options.length === 0 ? `fetch(${url})` : `fetch(${url}, {\n${options.join('\n')}\n})`
  return `const response = await ${call}
if (!response.ok) throw new Error(await response.text())
console.log(await response.${isText(request) ? 'text' : 'json'}())`
}

function quotedName(name: string): string {
  return name.includes('-') ? `'${name}'` : name
}

function python(request: CodeRequest): string {
  const { method, address, headers, body } = request
  const string = (text: string) =>
    text.search(VARIABLE) < 0
      ? pythonLiteral(text)
      : `f${pythonLiteral(text).replaceAll(VARIABLE, "{os.environ['$1']}")}`
  const isJson = !isText(request)
  const lines = [
    `    ${string(PLACEHOLDER_ORIGIN + address)},`,
    ...(hasOwnVerb(method) ? [`    method="${method}",`] : []),
    ...(!body
      ? []
      : 'json' in body
        ? [`    data=json.dumps(${pythonLiteral(body.json, '    ')}).encode(),`]
        : [`    data=${pythonLiteral(body.text)}.encode(),`]),
    ...(headers.length === 0 ? [] : ['    headers={']),
    ...headers.map(([name, value]) => `        "${name}": ${string(value)},`),
    ...(headers.length === 0 ? [] : ['    },']),
  ]
  const code = `request = urllib.request.Request(
${lines.join('\n')}
)
with urllib.request.urlopen(request) as response:
${isJson ? '    answer = json.load(response)\nprint(json.dumps(answer, indent=2))' : '    print(response.read().decode())'}`
  const modules = ['json', 'os', 'urllib.request'].filter((name) => code.includes(`${name}.`))
  return `${modules.map((name) => `import ${name}`).join('\n')}\n\n${code}`
}

/** Whether the response is anything but JSON. */
function isText({ method, address }: CodeRequest): boolean {
  return (
    address.startsWith('/execute/events') ||
    /^\/runs\/[^/?]+\/events/.test(address) ||
    (method === 'GET' && /^\/(?:fs\/content|files\/out)/.test(address))
  )
}
