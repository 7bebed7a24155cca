/** The catalog of the demo API, made by `npm run prepare:build`. */
import type { CatalogTexts } from '../sdk/catalog/catalog.ts'

export const compiled: CatalogTexts
