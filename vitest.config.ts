/** Every suite runs in Node; what concerns the product's own code runs unchanged in workerd as well. */
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'

/** About the build, the repository or Node itself. */
const NODE_ONLY = [
  'test/vm/build/**',
  'test/*.test.ts',
  'test/node/**',
  'test/runtime/**',
  'test/workbench/**',
]

/** What `npm run bench` installs for itself has tests of its own. */
const INSTALLED = '**/node_modules/**'

/** Needs a Ceph, which `npm run test:ceph` starts. */
const CEPH = 'test/ceph/**'

/** Needs specifications, which `npm run test:specs` downloads. */
const SPECS = 'test/specs/**'

export default defineConfig({
  test: {
    globalSetup: ['test/support/build-lua.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          include: ['test/**/*.test.ts'],
          exclude: ['test/workerd/**', CEPH, SPECS, INSTALLED],
          pool: 'forks',
        },
      },
      {
        extends: true,
        plugins: [
          cloudflareTest({
            miniflare: {
              compatibilityDate: '2026-09-18',
              r2Buckets: ['FILES'],
              modulesRules: [{ type: 'CompiledWasm', include: ['**/*.wasm'] }],
            },
          }),
        ],
        test: {
          name: 'workerd',
          include: ['test/**/*.test.ts'],
          exclude: [...NODE_ONLY, CEPH, SPECS, INSTALLED],
        },
      },
    ],
  },
})
