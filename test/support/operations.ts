/** The operations that tests go through one by one, by how they are offered. */
import { hasEnvelope } from '../../src/operations/envelope.ts'
import { OPERATIONS } from '../../src/operations/registry.ts'
import type { Tool } from '../../src/mcp/tool.ts'

const both = OPERATIONS.filter(({ route, tool, hasEvents }) => route && tool && !hasEvents)

/** `POST /fs/<name>`, and a tool. */
export const FILE_OPERATIONS = both.filter(hasEnvelope) as readonly Tool[]

/** A route and a tool whose answers have no envelope. */
export const PLAIN_OPERATIONS = both.filter((one) => !hasEnvelope(one)) as readonly Tool[]

/** Tools that are there where an API is configured. */
export const API_TOOLS = OPERATIONS.filter(({ needsApis }) => needsApis) as readonly Tool[]
