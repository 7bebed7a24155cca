/** Compiles scripts in a worker, whose own policy allows WebAssembly; the page's does not. */
import { checkSyntax } from '../../../vm/check-syntax.ts'
import type { SyntaxAnswer, SyntaxRequest } from './syntax-check.ts'

let lua: Promise<WebAssembly.Module> | undefined

self.addEventListener('message', ({ data }: MessageEvent<SyntaxRequest>) => {
  lua ??= WebAssembly.compileStreaming(fetch(data.module))
  lua.then(
    (module) => {
      const { line, message } = checkSyntax(module, data.script) ?? {}
      const fault = message === undefined ? null : { line: line ?? 1, message }
      postMessage({ turn: data.turn, fault } satisfies SyntaxAnswer)
    },
    // Loaded again at the next check: the network may be back.
    () => (lua = undefined),
  )
})
