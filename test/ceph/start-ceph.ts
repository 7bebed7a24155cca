/** A Ceph cluster for one test run: on loopback only, its objects in memory, all else in a folder that goes with it. */
import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import type { S3Signing } from '../../src/config.ts'
import { listen } from '../support/listen.ts'
import { cephConf, HOST } from './ceph-conf.ts'
import { Cluster, STEP_TIMEOUT_MS } from './cluster.ts'

const KEYS = { accessKeyId: 'ceph-test-id', secretAccessKey: 'ceph-test-secret' }
const BUCKET = 'files'

/**
 * Resolves once the bucket takes objects. What it started and made goes with this process; only the
 * folder is left behind by one that is killed outright.
 */
export async function startCeph(tell: (step: string) => void): Promise<S3Signing> {
  const folder = mkdtempSync(join(tmpdir(), 'moonbucket-ceph-'))
  const cluster = new Cluster(folder)
  process.once('exit', () => cluster.remove())
  try {
    const endpoint = await startDaemons(cluster, tell)
    const s3 = { endpoint, region: 'us-east-1', bucket: BUCKET, forcePathStyle: true, ...KEYS }
    tell(`creates the bucket "${BUCKET}" at ${endpoint}`)
    await createBucket(s3)
    return s3
  } catch (error) {
    throw new Error(`Ceph did not start\n${cluster.lastWords()}`, { cause: error })
  }
}

async function startDaemons(cluster: Cluster, tell: (step: string) => void): Promise<string> {
  const [monPort, rgwPort] = await freePorts(2)
  const monAddress = `v2:${HOST}:${monPort}`
  const [fsid, osdId] = [randomUUID(), randomUUID()]
  const { folder } = cluster
  writeFileSync(join(folder, 'ceph.conf'), cephConf(folder, fsid, monAddress))

  tell('starts a monitor')
  const map = join(folder, 'monmap')
  await cluster.run('monmaptool', '--create', '--fsid', fsid, '--addv', 'a', `[${monAddress}]`, map)
  await cluster.run('ceph-mon', '--mkfs', '-i', 'a', '--monmap', map)
  cluster.start('ceph-mon', '-i', 'a')

  tell('starts an OSD that keeps its objects in memory')
  await cluster.run('ceph', 'osd', 'new', osdId)
  await cluster.run('ceph', 'osd', 'crush', 'add', 'osd.0', '1', 'root=default', 'host=local')
  mkdirSync(join(folder, 'osd'))
  await cluster.run('ceph-osd', '--mkfs', '-i', '0', '--osd-uuid', osdId)
  cluster.start('ceph-osd', '-i', '0')

  tell('creates a user')
  const keys = [`--access-key=${KEYS.accessKeyId}`, `--secret-key=${KEYS.secretAccessKey}`]
  await cluster.run('radosgw-admin', 'user', 'create', '--uid=test', '--display-name=test', ...keys)

  tell('starts radosgw')
  // Without the last word, every answer with a body waits 40 ms for the acknowledgement of its head.
  const frontend = `beast endpoint=${HOST}:${rgwPort} tcp_nodelay=1`
  const gateway = cluster.start('radosgw', '-n', 'client.rgw', '--rgw-frontends', frontend)
  const endpoint = `http://${HOST}:${rgwPort}`
  await untilAnswering(endpoint, gateway)
  return endpoint
}

/** All are open at once before the first is closed, so no two are the same. */
async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => listen(createServer())))
  await Promise.all(servers.map(({ stop }) => stop()))
  return servers.map(({ port }) => port)
}

async function untilAnswering(endpoint: string, gateway: ChildProcess): Promise<void> {
  const deadline = Date.now() + STEP_TIMEOUT_MS
  while (!(await fetch(endpoint).catch(() => null))?.ok) {
    if (gateway.exitCode !== null) throw new Error(`radosgw ended with ${gateway.exitCode}`)
    if (Date.now() > deadline) throw new Error('radosgw does not answer')
    await sleep(100)
  }
}

async function createBucket({ endpoint, region, bucket, forcePathStyle }: S3Signing) {
  const client = new S3Client({ endpoint, region, forcePathStyle, credentials: KEYS })
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  client.destroy()
}
