/**
 * Two tiers: `npm test` runs what a change needs. `npm run test:all` (vitest's mode `all`) adds the
 * files named `*.slow.test.ts`, whole tables (test/support/tier.ts), and every portable suite in
 * workerd as well as in Node.
 */
import { availableParallelism } from 'node:os'
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'

/** About processes, browsers, the build or the repository: Node only. */
const NODE_ONLY = [
  'test/vm/build/**',
  'test/*.test.ts',
  'test/node/**',
  'test/runtime/**',
  'test/workbench/**',
]

/** What behaves differently in workerd: its storage, its streams, its WebAssembly, its crypto. */
const WORKERD_MATTERS = [
  'test/workerd/**/*.test.ts',
  // Suspended scripts, the C stack, and pauses where no clock runs; the rest is the same module.
  'test/vm/{await,limits/c-stack,system/logs}.test.ts',
  // Bodies and streams into and out of R2, and clients that go away.
  'test/http/{execute-files,files-out,fs-content,streaming,uploads}.test.ts',
  // Numbers and keys as this V8 parses them; events while a call goes on.
  'test/mcp/{execute-script,progress}.test.ts',
  // The engine's traps, kills that nothing catches, clocks that stand still, and keys in R2.
  'test/hostile/{broken-vm,deadline,kills,tenants}.test.ts',
]

/** Run by commands of their own, which start or download what they need. */
const ELSEWHERE = ['ceph', 'documents', 'libraries', 'specs']
  .map((folder) => `test/${folder}/**`)
  .concat('**/node_modules/**')

/** Of `test:all`, these have a step of their own with many runs, which `npm run test:faults` is. */
const FAULTS = process.env.FAULT_RUNS
  ? []
  : ['test/node/storage/{faults,upload-fault-runs.slow}.test.ts']

export default defineConfig(({ mode }) => {
  const isAll = mode === 'all'
  const left = [...ELSEWHERE, ...(isAll ? FAULTS : ['**/*.slow.test.ts'])]
  return {
    test: {
      globalSetup: ['test/support/build-lua.ts'],
      // Slow tests wait for builds and installs, which take their time on a busy machine.
      testTimeout: isAll ? 240_000 : 60_000,
      hookTimeout: isAll ? 240_000 : 60_000,
      // A third of the time, a file waits for processes or for clocks: one more than there are cores.
      // Slow tests also measure memory, which is collected late on a busy machine.
      maxWorkers: availableParallelism() + (isAll ? 0 : 1),
      projects: [
        {
          extends: true,
          // Not inherited: without it test/support/tier.ts would never see `all`.
          mode,
          test: {
            name: 'node',
            include: ['test/**/*.test.ts'],
            exclude: ['test/workerd/**', ...NODE_ONLY, ...left],
            pool: 'forks',
            // These suites hold no global state: sharing modules halves their time.
            isolate: false,
          },
        },
        {
          extends: true,
          mode,
          test: {
            name: 'process',
            include: NODE_ONLY.map(testFiles),
            exclude: left,
            pool: 'forks',
            // One local store, one Worker and one bundle of each kind for all suites of a process.
            isolate: false,
          },
        },
        {
          extends: true,
          mode,
          plugins: [
            cloudflareTest({
              // Otherwise workerd reports every connection that a test ends on purpose.
              verbose: false,
              miniflare: {
                compatibilityDate: '2026-09-18',
                r2Buckets: ['FILES'],
                modulesRules: [{ type: 'CompiledWasm', include: ['**/*.wasm'] }],
              },
            }),
          ],
          test: {
            name: 'workerd',
            // One runtime for many files: starting one and sending it the modules took most of the time.
            isolate: false,
            include: isAll ? ['test/**/*.test.ts'] : WORKERD_MATTERS,
            exclude: [...NODE_ONLY, ...left],
          },
        },
      ],
    },
  }
})

function testFiles(glob: string): string {
  return glob.endsWith('**') ? `${glob}/*.test.ts` : glob
}
