/** Compiles `moonbucket.toml` to a catalog. */
import { dirname, resolve } from 'node:path'
import { linesOf, type ApiInfo, type CatalogTexts } from '../../../src/sdk/catalog/catalog.ts'
import { authRule } from './security.ts'
import { urlProblem } from './base-url.ts'
import { compileApi, type CompiledApi } from './compile-api.ts'
import { assertAllUsed, FrozenParams } from './params/params.ts'
import { BuildFailed, Problems } from './problems.ts'
import { frozenRules, readSettings, type ApiSettings, type ServerSettings } from './settings.ts'
import { readSpec } from './spec/read-spec.ts'
import { Spec } from './spec/spec.ts'

export interface BuiltCatalog {
  readonly texts: CatalogTexts
  readonly warnings: readonly string[]
}

export const EMPTY: CatalogTexts = { apis: '[]', index: {}, calls: {}, types: {} }

/**
 * @param path The settings file; specifications are relative to it.
 *
 * @param file Its name in messages.
 * @throws {BuildFailed} listing every problem.
 */
export function compileCatalog(path: string, file: string): BuiltCatalog {
  const settings = readSettings(path, file)
  const problems = new Problems(file)
  const forAll = frozenRules(settings.frozen_params, 'frozen_params', problems)
  const failed: string[] = []
  const warnings: string[] = []
  const compiled: CompiledApi[] = []
  const frozen: FrozenParams[] = []

  for (const [name, own] of Object.entries(settings.apis)) {
    const rules = frozenRules(own.frozen_params, `apis.${name}.frozen_params`, problems)
    const params = new FrozenParams(forAll, rules)
    const specProblems = new Problems(own.spec)
    try {
      const { document, isSwagger } = readSpec(specPath(path, own), own.spec)
      const spec = new Spec(document, isSwagger, specProblems)
      compiled.push(compileApi(name, own, spec, params, problems))
      assertAllUsed(rules, [params], problems)
      frozen.push(params)
    } catch (error) {
      if (!(error instanceof BuildFailed)) throw error
      failed.push(error.message)
    }
    failed.push(...specProblems.errors)
    warnings.push(...specProblems.warnings)
  }
  // If one API failed, its parameter names are unknown.
  if (failed.length === 0) assertAllUsed(forAll, frozen, problems)
  const servers = Object.entries(settings.mcp_servers).map(([name, own]) =>
    serverInfo(name, own, problems),
  )
  const errors = [...problems.errors, ...failed]
  if (errors.length > 0) throw new BuildFailed(errors)
  return { texts: textsOf(compiled, servers), warnings: [...problems.warnings, ...warnings] }
}

/** Every input file, the settings first. @throws {BuildFailed} */
export function inputsOf(path: string, file: string): string[] {
  return [path, ...Object.values(readSettings(path, file).apis).map((own) => specPath(path, own))]
}

function specPath(settingsPath: string, { spec }: ApiSettings): string {
  return resolve(dirname(settingsPath), spec)
}

/** An MCP server's tools are listed at run time. */
function serverInfo(name: string, own: ServerSettings, problems: Problems): ApiInfo {
  const at = `mcp_servers.${name}`
  const problem = urlProblem(own.url)
  if (problem) problems.error(`${at}.url`, problem)
  const credential = { auth: own.auth, takesCallerAuth: own.caller_auth, at }
  const auth = authRule(credential, [], undefined, problems)
  return {
    name,
    title: name,
    description: '',
    kind: 'mcp',
    baseUrl: own.url.replace(/\/+$/, ''),
    ...(auth && { auth }),
    ...(own.caller_auth && { takesCallerAuth: true }),
    functions: null,
    ...(own.include && { include: own.include }),
    ...(own.exclude && { exclude: own.exclude }),
    ...(own.write && { canWrite: true }),
  }
}

function textsOf(compiled: readonly CompiledApi[], servers: readonly ApiInfo[]): CatalogTexts {
  const section = (write: (api: CompiledApi) => string) =>
    Object.fromEntries(compiled.map((api) => [api.info.name, write(api)]))
  return {
    apis: JSON.stringify([...compiled.map(({ info }) => info), ...servers]),
    index: section(({ index }) => JSON.stringify(index)),
    calls: section(({ calls }) => linesOf(calls)),
    types: section(({ types }) => linesOf(types)),
  }
}

/** Writes a catalog as a module of JSON strings, parsed on demand. */
export function writeModule({ apis, index, calls, types }: CatalogTexts): string {
  const fields = {
    apis: literal(apis),
    index: record(index),
    calls: record(calls),
    types: record(types),
  }
  const lines = Object.entries(fields).map(([name, value]) => `  ${name}: ${value},\n`)
  return `export const compiled = {\n${lines.join('')}}\n`
}

function record(texts: Readonly<Record<string, string>>): string {
  const lines = Object.entries(texts).map(([name, text]) => `    ${name}: ${literal(text)},\n`)
  return lines.length === 0 ? '{}' : `{\n${lines.join('')}  }`
}

/** Single quotes: JSON is full of double ones. */
function literal(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`
}
