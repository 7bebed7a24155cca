/** Runs before the first paint, to avoid a flash of the other theme. */
import { applyKeptTheme } from './page/theme.ts'

applyKeptTheme()
