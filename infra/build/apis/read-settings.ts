/** Reads `moonbucket.toml`. */
import { readFileSync } from 'node:fs'
import { parse, TomlError } from 'smol-toml'
import type { FrozenRule } from './params/frozen-params.ts'
import type { Place } from './params/operation-params.ts'
import { BuildFailed, type Problems } from './problems.ts'
import { settingsSchema, type Settings } from './settings.ts'

const PLACES: readonly string[] = ['path', 'query', 'header', 'cookie']

/** @throws {BuildFailed} */
export function readSettings(path: string, file: string): Settings {
  const { data, error } = settingsSchema.safeParse(parsed(readFileSync(path, 'utf8'), file))
  if (data) {
    const [both] = Object.keys(data.apis).filter((name) => Object.hasOwn(data.mcp_servers, name))
    if (both === undefined) return data
    throw new BuildFailed([`${file}: "${both}" is both an API and a server`])
  }
  throw new BuildFailed(
    error.issues.map((issue) => {
      // Key errors are nested one level deeper.
      const reasons = issue.code === 'invalid_key' ? issue.issues : [issue]
      const problems = reasons.map(({ message }) => message).join('; ')
      return [file, issue.path.join('.'), problems].filter((part) => part !== '').join(': ')
    }),
  )
}

/** Keys such as `"query.account_id"`; unquoted, TOML nests them, which works too. */
export function frozenRules(table: unknown, at: string, settings: Problems): FrozenRule[] {
  return leaves(table).flatMap(([name, value]): FrozenRule[] => {
    const [, place = '', own = ''] = /^([^.]*)\.(.+)$/s.exec(name) ?? []
    const ruleAt = `${at}."${name}"`
    const refuse = (problem: string): FrozenRule[] => {
      settings.error(ruleAt, problem)
      return []
    }
    if (!PLACES.includes(place)) {
      return refuse(`must start with one of ${PLACES.map((word) => `"${word}."`).join(', ')}`)
    }
    if (!['string', 'number', 'boolean', 'bigint'].includes(typeof value)) {
      return refuse('must be a string, a number, true or false')
    }
    const text = String(value)
    if (place === 'path' && /^\.{0,2}$/.test(text)) return refuse('must not be empty, "." or ".."')
    if (!/^[\t\x20-\x7e]*$/.test(text) && place !== 'query' && place !== 'path') {
      return refuse('has characters not allowed in a header')
    }
    if (place === 'cookie' && /[;,\s]/.test(text))
      return refuse('has characters not allowed in a cookie')
    return [{ place: place as Place, name: own, value: text, at: ruleAt }]
  })
}

function parsed(text: string, file: string): unknown {
  try {
    return parse(text.replace(/^\uFEFF/, ''), { integersAsBigInt: 'asNeeded' })
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const [problem] = error.message.split('\n')
    throw new BuildFailed([`${file}: line ${error.line}, column ${error.column}: ${problem}`])
  }
}

function leaves(table: unknown, prefix = ''): [name: string, value: unknown][] {
  return Object.entries(table ?? {}).flatMap(([key, value]): [string, unknown][] => {
    const isTable =
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      !(value instanceof Date)
    return isTable ? leaves(value, `${prefix}${key}.`) : [[`${prefix}${key}`, value]]
  })
}
