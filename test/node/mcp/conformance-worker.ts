/** A Worker with the product's doors and the suite's server behind them, for the test that bundles it. */
import { env } from 'cloudflare:workers'
import { loadLua } from '#lua-wasm'
import { createApp } from '../../../src/app.ts'
import { parseConfig } from '../../../src/config.ts'
import { Admission } from '../../../src/operations/memory/admission.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { fixtureServer } from './conformance-fixtures.ts'

export default createApp({
  service: {
    config: parseConfig(env),
    storage: memoryStorage(),
    lua: await loadLua(),
    admission: new Admission(1),
    now: () => new Date(),
    log: (event) => console.info(JSON.stringify(event)),
  },
  serveModel: fixtureServer,
})
