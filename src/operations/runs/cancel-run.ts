/** Ends a run: `DELETE /runs/<id>` and the tool `cancel_run`. */
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { operation } from '../operation.ts'
import { waitForEnd } from './get-run.ts'
import {
  loadRun,
  openRun,
  runIdField,
  runReference,
  runState,
  stateOf,
  type OpenedRun,
} from './read-run.ts'
import { isOver } from './record/run-record.ts'
import { finish } from './run-recorded.ts'
import type { RequestContext, Service } from '../service.ts'

/** For the process that runs it to notice. */
const WAIT_S = 3
const MAX_ATTEMPTS = 10

export const cancelRun = operation({
  name: 'cancel_run',
  route: 'DELETE /runs/{id}',
  tool: 'cancel_run',
  title: 'Cancel a run',
  description:
    'Cancels a run within seconds; what it has stored stays, and files it had open are stored as after an error. A run that has ended stays as it is: check `status`.',
  scopes: ['execute'],
  hints: { destructive: true, idempotent: true },
  needs: 'runs',
  input: () => z.strictObject({ id: runIdField() }),
  output: runState,

  async run(ctx, { id }) {
    let run = await openRun(ctx, id)
    for (let attempts = 0; !(await cancel(ctx.service, run)); attempts++) {
      if (attempts === MAX_ATTEMPTS) {
        throw new AppError('conflict', 'The run is changing right now. Try again.')
      }
      run = await loadRun(ctx, run.store)
    }
    return stateOf((await waitUntilOver(ctx, run)).record)
  },

  forModels: {
    description: 'Cancels a background run. What it stored stays.',
    output: runReference,
  },
})

/** `false` if the record changed meanwhile. */
async function cancel(service: Service, { store, ...found }: OpenedRun): Promise<boolean> {
  const { record } = found
  if (isOver(record) || record.isCancelling) return true
  if (record.status === 'running') {
    return (await store.replace(found, { isCancelling: true })) !== null
  }
  return (await finish(service, store, found, { status: 'cancelled' })) !== null
}

async function waitUntilOver(ctx: RequestContext, run: OpenedRun): Promise<OpenedRun> {
  return waitForEnd(ctx, await loadRun(ctx, run.store), WAIT_S)
}
