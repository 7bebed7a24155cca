/** `npm run test:ceph`: the storage tests against a real Ceph, installed if need be and started for this run. */
import { readOptions, run } from '../../infra/command-line.ts'
import { stopWithParent } from '../../infra/stop-with-parent.ts'
import { callCommand } from '../support/call-command.ts'
import { installCeph } from './install-ceph.ts'
import { startCeph } from './start-ceph.ts'

const HELP = `Runs the storage tests against Ceph's S3 gateway.

Installs Debian's ceph-mon, ceph-osd and radosgw if they are missing (as root), starts a cluster on
loopback in a temporary folder, runs the tests, and removes the cluster again.`

await run('test:ceph', async () => {
  readOptions(HELP, {})
  installCeph()
  // As a shell reports a signal; the cluster goes with the process.
  stopWithParent(async () => process.exit(130))
  const begin = performance.now()
  const tell = (step: string) => {
    console.info(`${((performance.now() - begin) / 1000).toFixed(1).padStart(5)} s  ${step}`)
  }
  const s3 = await startCeph(tell)
  tell('runs the tests')
  const args = ['run', '--mode', 'all', '--config', 'test/ceph/vitest.config.ts']
  const exitCode = await callCommand('vitest', args, { CEPH_S3: JSON.stringify(s3) })
  tell('stops Ceph and removes its folder')
  process.exit(exitCode)
})
