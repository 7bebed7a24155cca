/** The script that a command runs, and the result that it prints. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { UsageError } from '../errors.ts'
import type { Terminal } from './options.ts'

/** @throws {UsageError} */
export async function readScript(path: string, { folder, stdin }: Terminal): Promise<string> {
  const reading = path === '-' ? buffer(stdin) : readFile(resolve(folder, path))
  const bytes = await reading.catch((error: NodeJS.ErrnoException) => {
    const problem = error.code === 'ENOENT' ? ': no such file' : ` (${error.code})`
    throw new UsageError(`the script ${JSON.stringify(path)} cannot be read${problem}`)
  })
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new UsageError(`the script ${JSON.stringify(path)} is not UTF-8`)
  }
}

/** Strings are printed raw for pipes; everything else as JSON. */
export function resultText(resultJson: string): string {
  if (resultJson === 'null') return ''
  const text = resultJson.startsWith('"') ? (JSON.parse(resultJson) as string) : resultJson
  return text.endsWith('\n') ? text : `${text}\n`
}
