/** The repository's top folder. */
import { resolve } from 'node:path'

export const ROOT = resolve(import.meta.dirname, '..')
