/** The demo API as scripts see it, for local servers and the command. */
import type { ApiInfo, CatalogTexts } from '../sdk/catalog/catalog.ts'
import { compiled } from './compiled.js'

/** @param origin Where it is served, known only when it is. */
export function demoCatalog(origin: string): CatalogTexts {
  const apis = (JSON.parse(compiled.apis) as ApiInfo[]).map((api) => ({ ...api, baseUrl: origin }))
  return { ...compiled, apis: JSON.stringify(apis) }
}
