/** The catalog of this installation, made by `npm run build:apis`. */
import type { CatalogTexts } from './catalog/catalog.ts'

export const compiled: CatalogTexts
