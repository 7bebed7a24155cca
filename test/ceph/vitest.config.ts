/** Apart from the other suites, because it needs Ceph: `npm run test:ceph` starts one first. */
import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: resolve(import.meta.dirname, '../..'),
    include: ['test/ceph/**/*.test.ts'],
    testTimeout: 60_000,
    // A minute without a word looks like a hang, and skipped checks are to be seen.
    reporters: ['verbose'],
    // Threads end with the process that an interrupted run kills.
    pool: 'threads',
  },
})
