/** Imports for an instance that runs no script. */
import { newMemory } from './limits/memories.ts'

type Given = Readonly<Record<string, WebAssembly.ImportValue>>

/**
 * With a memory of its own.
 *
 * @param given By full name, such as `env.abort`; `other` makes the rest.
 */
export function inertImports(
  module: WebAssembly.Module,
  given: Given = {},
  other: (name: string) => WebAssembly.ImportValue = () => () => 0,
): WebAssembly.Imports {
  const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {}
  for (const { module: space, name, kind } of WebAssembly.Module.imports(module)) {
    const full = `${space}.${name}`
    const value = given[full] ?? (kind === 'memory' ? newMemory() : other(full))
    ;(imports[space] ??= {})[name] = value
  }
  return imports
}
