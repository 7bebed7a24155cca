/**
 * Apart from the other suites, because it needs LibreOffice: `npm run test:documents` installs it.
 */
import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: resolve(import.meta.dirname, '../..'),
    include: ['test/documents/**/*.test.ts'],
    globalSetup: ['test/support/build-lua.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    reporters: ['verbose'],
    pool: 'threads',
    // One LibreOffice at a time: each start takes seconds and 200 MB.
    fileParallelism: false,
  },
})
