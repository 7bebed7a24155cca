/** Reports progress on standard error; standard output is for the tables. */

const start = performance.now()

export function say(what: string): void {
  const seconds = Math.round((performance.now() - start) / 1000)
  process.stderr.write(`${String(seconds).padStart(4)} s  ${what}\n`)
}
