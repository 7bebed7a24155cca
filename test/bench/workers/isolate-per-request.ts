/** A fresh isolate per request with the Worker Loader, as agents' code is run on Workers. */
import type { Fetcher, WorkerLoader } from '@cloudflare/workers-types'

const SCRIPT = 'export default { fetch: () => new Response(String(1 + 1)) }'

export default {
  async fetch(_request: Request, { LOADER }: { readonly LOADER: WorkerLoader }): Promise<Response> {
    const worker = LOADER.load({
      compatibilityDate: '2026-09-18',
      mainModule: 'script.js',
      modules: { 'script.js': SCRIPT },
      globalOutbound: null,
    })
    const entrypoint: Fetcher = worker.getEntrypoint()
    const answer = await entrypoint.fetch('http://script/')
    return new Response(await answer.text())
  },
}
