/** A Worker with the product's app and APIs by hand, for the test that bundles it. */
import { env } from 'cloudflare:workers'
import { loadLua } from '#lua-wasm'
import { createApp } from '../../../src/app.ts'
import { parseConfig } from '../../../src/config.ts'
import { DEFAULT_LIMITS } from '../../../src/limits.ts'
import { Admission } from '../../../src/operations/memory/admission.ts'
import type { CatalogTexts } from '../../../src/sdk/catalog/catalog.ts'
import { configureApis } from '../../../src/sdk/call/run-apis.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'

const settings = env as unknown as Readonly<Record<string, string>>
const now = () => new Date()

export default createApp({
  service: {
    config: parseConfig(settings, {
      limits: { ...DEFAULT_LIMITS, apiCallMs: 1500 },
    }),
    storage: memoryStorage(),
    lua: await loadLua(),
    admission: new Admission(64 * 1024 * 1024),
    now,
    apis: configureApis(JSON.parse(settings.CATALOG!) as CatalogTexts, {
      env: settings,
      allowsLoopback: true,
      now,
    }),
    log: (event) => console.info(JSON.stringify(event)),
  },
})
