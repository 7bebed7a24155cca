/** All HTTP operations, in an order in which the examples work. */
import type { ApiOperation } from './api-operation.ts'
import { DESCRIBED_FILE_OPERATIONS } from './file-operations.ts'
import { LINK_OPERATIONS } from './link-operations.ts'
import { SCRIPT_OPERATIONS } from './script-operations.ts'
import { SERVICE_OPERATIONS } from './service-operations.ts'

export const API_OPERATIONS: readonly ApiOperation[] = [
  ...SCRIPT_OPERATIONS,
  ...DESCRIBED_FILE_OPERATIONS,
  ...LINK_OPERATIONS,
  ...SERVICE_OPERATIONS,
]
