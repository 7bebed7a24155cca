/** Logs rotated during appends, on stores with and without a conditional delete. */
import { memoryStorage } from '../../../src/storage/memory.ts'
import { describeLogRotation, everySchedule } from '../../contract/log-rotation.ts'
import { runtimeStorage } from '../../support/make-app.ts'
import { withoutDeleteIf } from '../../support/paced-storage.ts'
import { isAll } from '../../support/tier.ts'

describeLogRotation(
  'a store without a conditional delete',
  async () => withoutDeleteIf(memoryStorage()),
  isAll ? everySchedule() : undefined,
)

describeLogRotation("the runtime's own store", runtimeStorage)
