/** A process of `npm run fuzz`: tests pieces of one target until it is disconnected. */
import { loadTarget } from './targets.ts'

/** A piece of work. */
export interface Piece {
  readonly target: string
  readonly runs: number
  readonly seed: number
}

/** What became of it. */
export interface Done extends Piece {
  readonly ms: number
  readonly failure?: string | undefined
}

process.on('message', (piece: Piece) => void work(piece))

/** Never rejects: failures are part of the report. */
async function work(piece: Piece): Promise<void> {
  let start = performance.now()
  let failure: string | undefined
  try {
    const target = await loadTarget(piece.target)
    start = performance.now()
    failure = await target.tryOut(piece.runs, piece.seed)
  } catch (error) {
    failure = `threw ${(error as Error)?.stack ?? String(error)}`
  }
  process.send!({ ...piece, ms: performance.now() - start, failure } satisfies Done)
}

// Whoever gave it work may have been stopped.
process.on('disconnect', () => process.exit())
