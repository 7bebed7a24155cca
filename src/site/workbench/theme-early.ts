/** Runs before the first paint, so that a page in the other theme does not flash. */
import { applyKeptTheme } from './page/theme.ts'

applyKeptTheme()
