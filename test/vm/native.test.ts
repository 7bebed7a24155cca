/** Scripts whose output must be that of native Lua, as `npm run record:lua` recorded it. */
import { describe, expect, it } from 'vitest'
import { parseCases } from '../lua/parse-cases.ts'
import { runLua } from '../support/run-lua.ts'

interface Recorded {
  readonly output: string
  readonly error?: string
}

const scripts = import.meta.glob<string>('../lua/cases/*.lua', {
  query: '?raw',
  import: 'default',
  eager: true,
})
const recordings = import.meta.glob<Record<string, Recorded>>('../lua/cases/*.json', {
  import: 'default',
  eager: true,
})

it('has recordings of at least 150 scripts', () => {
  expect(Object.values(recordings).flatMap(Object.keys).length).toBeGreaterThanOrEqual(150)
})

describe.each(Object.entries(scripts))('%s', (file, text) => {
  const recorded = recordings[file.replace(/\.lua$/, '.json')] ?? {}

  it.each(parseCases(text))('$name', async ({ name, script }) => {
    const { logs, error } = await runLua(script)
    expect({ output: logs.join('\n'), error: error?.message }).toEqual({
      output: asText(recorded[name]!.output).replace(/\n$/, ''),
      error: recorded[name]!.error && asText(recorded[name]!.error),
    })
  })
})

/** Bytes as logs and messages show them: what is not UTF-8 is replaced. */
function asText(latin1: string): string {
  const bytes = Uint8Array.from(latin1, (character) => character.charCodeAt(0))
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}
