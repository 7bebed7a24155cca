/** Many writers at the edge of a quota: what they were told, and what is stored. */
import { expect } from 'vitest'
import type { makeApp } from '../support/make-app.ts'
import { storedFiles } from './make-quota-app.ts'

type App = Awaited<ReturnType<typeof makeApp>>

interface Race {
  /** On one store. */
  readonly apps: readonly App[]
  readonly tenant: string
  readonly writers: number
  readonly quotaBytes: number
  /** Each writes this many of each size. */
  readonly rounds: number
  readonly fileBytes: number
}

/** Each file is all one letter, so that a torn one shows. */
export async function raceWriters({ apps, tenant, writers, rounds, fileBytes, quotaBytes }: Race) {
  const accepted = new Map<string, string>()
  let refused = 0
  const write = async (writer: number) => {
    const app = apps[writer % apps.length]!
    for (let round = 0; round < rounds; round++) {
      const path = `w${writer}/${round % 3}.txt`
      const letter = String.fromCharCode(97 + ((writer + round) % 26))
      const script = `io.open("${path}", "w"):write(("${letter}"):rep(${fileBytes})):close()`
      const { error, files_touched } = await app.run(script, {}, { tenant })
      if (!error) accepted.set(path, letter)
      else {
        refused++
        expect(error.kind).toBe('limit')
        expect(error.message).toMatch(
          /^storage quota exceeded \(\d+ bytes\): \d+ are used, and \d+/,
        )
        expect(files_touched).toEqual([expect.objectContaining({ name: path, stored: false })])
      }
      if (round % 3 === 2 && accepted.delete(path)) {
        await app.run(`os.remove("${path}")`, {}, { tenant })
      }
    }
  }
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
  const [app] = apps
  const stored = await storedFiles(app!.storage, tenant)
  expect(stored.bytes).toBeLessThanOrEqual(quotaBytes)
  for (const [path, letter] of accepted) {
    const object = await app!.storage.get(`${tenant}/users/alice/${path}`)
    expect(object?.bytes).toBe(fileBytes)
    expect(object!.body.every((byte) => byte === letter.charCodeAt(0))).toBe(true)
  }
  expect(stored.objects).toBe(accepted.size)
  const usage = await (await app!.send('/usage', {}, { tenant })).json()
  const { used } = (usage as { stored_bytes: { used: number } }).stored_bytes
  expect(used).toBeGreaterThanOrEqual(stored.bytes)
  return { accepted: accepted.size, refused, stored, used }
}
