/** The last scripts of this browser, in its local storage. */

export interface PastRun {
  readonly script: string
  readonly args: string
  /** As the status said, or that it was never run. */
  readonly outcome: string
  readonly isBad: boolean
  /** ISO time. */
  readonly at: string
  /** The id of a background run. */
  readonly run?: string | undefined
}

const KEY = 'moonbucket.history'
const MAX_RUNS = 50
/** Browsers allow about 5 million for the whole site. */
const MAX_CHARACTERS = 1_000_000

export type RunHistory = ReturnType<typeof runHistory>

export function runHistory() {
  /** Newest first. Read each time: other tabs write to it. */
  function runs(): PastRun[] {
    try {
      const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
      return Array.isArray(kept) ? kept.filter(isPastRun) : []
    } catch {
      return []
    }
  }

  function keep(all: readonly PastRun[]): void {
    try {
      localStorage.setItem(KEY, JSON.stringify(all.slice(0, countThatFit(all))))
    } catch {
      // Storage is full or forbidden: this run is not remembered.
    }
  }

  function add(run: Omit<PastRun, 'at'>): void {
    keep([{ ...run, at: new Date().toISOString() }, ...runs()])
  }

  return {
    runs,
    add,
    /** Notes how a background run ended. */
    settle(id: string, outcome: Pick<PastRun, 'outcome' | 'isBad'>) {
      keep(runs().map((run) => (run.run === id ? { ...run, ...outcome } : run)))
    },
    /** The script of a background run, if it was started in this browser. */
    scriptOf: (id: string) => runs().find(({ run }) => run === id)?.script,
    /** Keeps a script that is about to be replaced, unless it is here already. */
    setAside({ script, args }: Pick<PastRun, 'script' | 'args'>) {
      const isKept = runs().some((run) => run.script === script && run.args === args)
      if (!isKept) add({ script, args, outcome: 'Not run', isBad: false })
    },
    clear: () => localStorage.removeItem(KEY),
  }
}

/** The newest is kept whatever its length. */
function countThatFit(runs: readonly PastRun[]): number {
  let characters = 0
  const end = runs.findIndex((run, i) => {
    characters += run.script.length + run.args.length
    return i === MAX_RUNS || (i > 0 && characters > MAX_CHARACTERS)
  })
  return end < 0 ? runs.length : end
}

function isPastRun(value: unknown): value is PastRun {
  const { script, args, outcome, at } = (value ?? {}) as Partial<Record<keyof PastRun, unknown>>
  return [script, args, outcome, at].every((part) => typeof part === 'string')
}
