/** Lua code of the snapshot: files of this folder, with what each gets as arguments. */
import { resolve } from 'node:path'
import type { HostFunctionName } from '../../../src/vm/host-functions.ts'

interface PreludeFile {
  readonly name: string
  /** Globals that it gets first, made if they do not exist. */
  readonly libraries: readonly string[]
  readonly functions: readonly HostFunctionName[]
}

export const PRELUDES: readonly PreludeFile[] = [
  {
    name: 'sdk',
    libraries: ['sdk'],
    functions: ['[sdk find]', '[sdk prepare]', '[sdk run]', '[sdk take]'],
  },
  {
    name: 'formats',
    libraries: ['gzip', 'zip', 'xlsx', 'parquet', 'document'],
    functions: ['[format open]', '[format next]', '[format close]'],
  },
  { name: 'csv', libraries: ['csv'], functions: ['[csv read]', '[csv line]'] },
  // Last: it looks at the libraries that there are.
  { name: 'require', libraries: ['package'], functions: [] },
]

export function preludePath(name: string): string {
  return resolve(import.meta.dirname, `${name}.lua`)
}
