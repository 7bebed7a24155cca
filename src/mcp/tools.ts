/** Every tool, by name. */
import { FILE_OPERATIONS, PLAIN_OPERATIONS } from '../operations/file-operations.ts'
import { API_TOOLS } from './api-tools.ts'
import { executeTool, executeToolWithApis } from './execute-tool.ts'
import { envelopeTool, plainTool } from './operation-tool.ts'
import type { Tool } from './tool.ts'

const onFiles: readonly Tool[] = [
  ...FILE_OPERATIONS.map(envelopeTool),
  ...PLAIN_OPERATIONS.map(plainTool),
]

const byName = (tools: readonly Tool[]): ReadonlyMap<string, Tool> =>
  new Map(tools.map((tool) => [tool.name, tool]))

/** Where no API is configured. */
export const TOOLS = byName([executeTool, ...onFiles])

/** Where there is one. */
export const TOOLS_WITH_APIS = byName([executeToolWithApis, ...API_TOOLS, ...onFiles])
