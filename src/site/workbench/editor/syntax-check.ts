/** Checks the script after a pause in typing, with the VM's own compiler. */

export interface LineFault {
  readonly line: number
  readonly message: string
}

export interface SyntaxRequest {
  /** Answers to earlier turns are outdated. */
  readonly turn: number
  /** URL of the Lua module. */
  readonly module: string
  readonly script: string
}

export interface SyntaxAnswer {
  readonly turn: number
  readonly fault: LineFault | null
}

const PAUSE_MS = 500

/**
 * The worker loads with the first check. Where it cannot, nothing is reported: a run reports the
 * same faults.
 */
export function syntaxCheck(onFault: (fault: LineFault | null) => void) {
  let worker: Worker | undefined
  let turn = 0
  let timer = 0

  function send(script: string): void {
    worker ??= startWorker()
    const request: SyntaxRequest = { turn, module: assetOf('lua-module'), script }
    worker.postMessage(request, [])
  }

  function startWorker(): Worker {
    const started = new Worker(assetOf('syntax-worker'))
    started.addEventListener('message', ({ data }: MessageEvent<SyntaxAnswer>) => {
      if (data.turn === turn) onFault(data.fault)
    })
    return started
  }

  return {
    /** Call on every change. */
    later(script: string) {
      turn++
      clearTimeout(timer)
      timer = window.setTimeout(() => send(script), PAUSE_MS)
    },
    /** For a run, which reports its own faults. */
    cancel() {
      turn++
      clearTimeout(timer)
    },
  }
}

/** The build puts names with hashes into the page. */
function assetOf(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)!.content
}
