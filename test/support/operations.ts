/** Operations for table tests, grouped by how they are exposed. */
import { hasEnvelope } from '../../src/operations/envelope.ts'
import { OPERATIONS } from '../../src/operations/registry.ts'
import type { Tool } from '../../src/mcp/tool.ts'

const both = OPERATIONS.filter(
  ({ route, tool, isRun }) => route?.startsWith('POST ') && tool && !isRun,
)

/** Available as `POST /fs/<name>` and as a tool. */
export const FILE_OPERATIONS = both.filter(hasEnvelope) as readonly Tool[]

/** Available as a POST route and a tool, without an envelope. */
export const PLAIN_OPERATIONS = both.filter((one) => !hasEnvelope(one)) as readonly Tool[]

/** Tools that need a configured API, or quotas. */
export const QUOTA_TOOLS = OPERATIONS.filter(({ needs }) => needs === 'quotas') as readonly Tool[]

/** Tools that need a configured API. */
export const API_TOOLS = OPERATIONS.filter(({ needs }) => needs === 'apis') as readonly Tool[]
