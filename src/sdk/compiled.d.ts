/** The catalog of this installation, made by `npm run build:apis`. */
import type { CatalogTexts } from './catalog.ts'

export const compiled: CatalogTexts
