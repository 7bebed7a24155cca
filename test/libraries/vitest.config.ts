/**
 * Apart from the other suites, because it needs the network: `npm run test:libraries` downloads
 * what it runs.
 */
import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: resolve(import.meta.dirname, '../..'),
    include: ['test/libraries/**/*.test.ts'],
    testTimeout: 600_000,
    // A minute without a word looks like a hang.
    reporters: ['verbose'],
    // Threads end with the process that an interrupted run kills.
    pool: 'threads',
  },
})
