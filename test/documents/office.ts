/** LibreOffice and poppler as commands, on files of a temporary folder. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryStorage } from '../../src/storage/memory.ts'
import { runLua } from '../support/run-lua.ts'

/** Removed with `close`. */
export function openOffice() {
  const folder = mkdtempSync(join(tmpdir(), 'moonbucket-office-'))
  const place = (name: string) => join(folder, name)

  return {
    put(name: string, content: string | Uint8Array): void {
      writeFileSync(place(name), content)
    },

    get: (name: string): Uint8Array => new Uint8Array(readFileSync(place(name))),

    /** The converted file has the same name, with the extension of the format. */
    convert(name: string, format: string, filter?: string): void {
      const options = [
        '--headless',
        '--norestore',
        `-env:UserInstallation=file://${place('profile')}`,
      ]
      const input = filter === undefined ? [] : [`--infilter=${filter}`]
      const args = [...options, ...input, '--convert-to', format, '--outdir', folder, place(name)]
      execFileSync('soffice', args, { stdio: 'pipe', timeout: 120_000 })
    },

    /** As pdftotext reads it. */
    pdfWords: (name: string): string[] =>
      wordsOf(execFileSync('pdftotext', [place(name), '-'], { encoding: 'utf8' })),

    close(): void {
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Runs a script with a file, and gives its result and another file. */
export async function runWith(script: string, file?: readonly [string, Uint8Array]) {
  const storage = memoryStorage()
  if (file) await storage.put(`area/${file[0]}`, file[1])
  const { result, error } = await runLua(script, { storage })
  if (error) throw new Error(error.message)
  return { result, get: async (name: string) => (await storage.get(`area/${name}`))!.body }
}

export function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? []
}

/** The share of the expected words that were found, each as often. */
export function shareFound(expected: readonly string[], found: readonly string[]): number {
  const left = new Map<string, number>()
  for (const word of found) left.set(word, (left.get(word) ?? 0) + 1)
  let hits = 0
  for (const word of expected) {
    const count = left.get(word) ?? 0
    if (count > 0) hits++
    left.set(word, count - 1)
  }
  return hits / expected.length
}
