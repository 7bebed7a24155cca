/** Logs that are rotated while others append to them, on a store that cannot delete conditionally, and on one that can. */
import { memoryStorage } from '../../../src/storage/memory.ts'
import { describeLogRotation, everySchedule } from '../../contract/log-rotation.ts'
import { runtimeStorage } from '../../support/make-app.ts'
import { withoutDeleteIf } from '../../support/paced-storage.ts'

describeLogRotation(
  'a store without a conditional delete',
  async () => withoutDeleteIf(memoryStorage()),
  everySchedule(),
)

describeLogRotation("the runtime's own store", runtimeStorage)
