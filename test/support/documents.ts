/** What the documents say: their sections and blocks of code. Node only. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect } from 'vitest'
import { ROOT } from '../../infra/root.ts'

export interface CodeBlock {
  /** Of the fence; may be empty. */
  readonly language: string
  readonly code: string
}

/** A file of the repository. */
export function readDocument(name: string): string {
  return readFileSync(resolve(ROOT, name), 'utf8')
}

/** All code blocks, without the indent of a list. */
export function blocksOf(text: string): CodeBlock[] {
  return [...text.matchAll(/^( *)```(\w*)\n(.*?)^ *```$/gms)].map(([, indent, language, code]) => ({
    language: language!,
    code: code!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }))
}

/** The first block of a language with these words. @throws if there is none. */
export function blockWith(text: string, language: string, words = ''): string {
  const found = blocksOf(text).find(
    (block) => block.language === language && block.code.includes(words),
  )
  if (!found) throw new Error(`there is no ${language} block with ${JSON.stringify(words)}`)
  return found.code
}

/** The text of one second-level heading. @throws if there is none. */
export function section(page: string, title: string): string {
  const text = page.split(/^## /m).find((part) => part.startsWith(`${title}\n`))
  if (text === undefined) throw new Error(`there is no section ${title}`)
  return text
}

/** An answer as a document shows it: a shortened address or a date stands for any. */
export function shownAnswer(json: string): unknown {
  return JSON.parse(json, (_, value: unknown) => {
    if (typeof value !== 'string') return value
    if (value.endsWith('…')) return expect.stringContaining(value.slice(0, -1))
    return /^\d{4}-\d\d-\d\dT/.test(value) ? expect.stringMatching(/^\d{4}-.*:\d\dZ$/) : value
  })
}
