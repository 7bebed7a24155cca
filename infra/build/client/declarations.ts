/** `client.d.mts`: the types of `src/client` in one file, with those of the schemas written out. */
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { ROUTES, type Route } from '../../../src/client/routes.ts'
import { HTTP_STATUS } from '../../../src/http/respond-with-error.ts'
import { OPERATIONS } from '../../../src/operations/registry.ts'
import { ROOT } from '../../root.ts'
import { jsonSchemaOf } from '../site/openapi.ts'
import { commentText, typeText } from './type-text.ts'

/** Files whose types a caller can meet; `index` says which of them are exported. */
const FILES = ['errors', 'send', 'run-types', 'runs', 'transfer', 'moonbucket', 'index']

/** @param folder For files that are removed again. */
export function clientDeclarations(folder: string): string {
  const emitted = resolve(folder, 'declarations')
  const sources = FILES.map((name) => resolve(ROOT, `src/client/${name}.ts`))
  // Each file for itself: what it imports is not read.
  const options = ['--noResolve', '--noCheck', '--ignoreConfig', '--allowImportingTsExtensions']
  const target = ['--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler']
  const what = ['--declaration', '--emitDeclarationOnly', '--outDir', emitted]
  const tsc = resolve(ROOT, 'node_modules/.bin/tsc')
  execFileSync(tsc, [...what, ...options, ...target, ...sources], { stdio: 'inherit' })
  const texts = FILES.map((name) => readFileSync(resolve(emitted, `${name}.d.ts`), 'utf8'))
  rmSync(emitted, { recursive: true })
  return [errorCodes(), routeCalls(), ...texts.map(withoutModules)].join('\n')
}

/** One scope for all: exports are only those of `index`, which names them without a place. */
function withoutModules(text: string): string {
  return text
    .replaceAll(/^import .*;\n/gm, '')
    .replaceAll(/^export \{\};\n/gm, '')
    .replaceAll(/^(export (?:type )?\{[^}]*\}) from '[^']+';/gm, '$1;')
    .replaceAll(/^export (declare|interface|type (?!\{))/gm, '$1')
}

function errorCodes(): string {
  const codes = Object.keys(HTTP_STATUS).map((code) => JSON.stringify(code))
  return `type ErrorCode = ${codes.join(' | ')}`
}

function routeCalls(): string {
  const groups = Object.entries(ROUTES).map(([name, group]) => {
    const calls = Object.entries(group).map(([call, route]) => callText(call, route))
    return `  readonly ${name}: {\n${calls.join('')}  }\n`
  })
  return `interface RouteCalls {\n${groups.join('')}}\n`
}

function callText(name: string, { route }: Route): string {
  const operation = OPERATIONS.find((one) => one.route === route)
  if (!operation) throw new Error(`no operation has the route ${route}`)
  const input = jsonSchemaOf(operation.input(), 'input')
  const output = typeText(jsonSchemaOf(operation.output(), 'output'), '    ')
  const isOptional = (input.required ?? []).length === 0 ? '?' : ''
  const types = `input${isOptional}: ${typeText(input, '    ')}, options?: CallOptions`
  return `${commentText(operation.description, '    ')}    readonly ${name}: (${types}) => Promise<${output}>\n`
}
