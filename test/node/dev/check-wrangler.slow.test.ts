/** `npm run check:wrangler` notices what a deployment of background runs lacks. */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../../infra/root.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const written = readFileSync(resolve(ROOT, 'wrangler.toml'), 'utf8')

it.each([
  ['nothing', 'main', 'main', ''],
  [
    'another binding',
    '[[env.staging.queues.producers]]\nbinding = "RUNS"',
    '[[env.staging.queues.producers]]\nbinding = "QUEUE"',
    'env.staging: queues.producers lacks RUNS',
  ],
  [
    'a queue that nobody reads',
    '[[env.s3.queues.consumers]]\nqueue = "moonbucket-s3-runs"',
    '[[env.s3.queues.consumers]]\nqueue = "other-runs"',
    'env.s3: queues.consumers lacks moonbucket-s3-runs',
  ],
  [
    'several runs in a batch',
    'queue = "moonbucket-runs"\nmax_batch_size = 1',
    'queue = "moonbucket-runs"\nmax_batch_size = 10',
    'env.production: queues.consumers: max_batch_size must be 1',
  ],
  [
    'no dead letters',
    'dead_letter_queue = "moonbucket-dead-runs"',
    '',
    'env.production: queues.consumers: dead_letter_queue is missing',
  ],
  [
    'a queue of two environments',
    'dead_letter_queue = "moonbucket-dead-runs"',
    'dead_letter_queue = "moonbucket-s3-dead-runs"',
    'env: queue moonbucket-s3-dead-runs is used twice',
  ],
  [
    'no schedule',
    'crons = ["17 * * * *"]',
    'crons = []',
    'triggers.crons: nothing deletes old runs',
  ],
  ['a misspelt key', 'max_retries = 100', 'max_retrys = 100', 'queues.consumers'],
])('after a change to %s', async (_, before, after, named) => {
  expect(written).toContain(before)
  const file = join(tempFolder(), 'wrangler.toml')
  writeFileSync(file, written.replace(before, after))
  const told = await check(file)
  if (named === '') expect(told).toBe('')
  else expect(told).toContain(`wrangler.toml: ${named}`)
})

function check(file: string): Promise<string> {
  const words = [resolve(ROOT, 'infra/check-wrangler.ts'), file]
  return new Promise((done) => {
    execFile(process.execPath, words, (_error, _stdout, stderr) => done(stderr))
  })
}
