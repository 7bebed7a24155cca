/** Every tool, by name. */
import { FILE_OPERATIONS, PLAIN_OPERATIONS } from '../operations/file-operations.ts'
import { executeTool } from './execute-tool.ts'
import { envelopeTool, plainTool } from './operation-tool.ts'
import type { Tool } from './tool.ts'

const all: readonly Tool[] = [
  executeTool,
  ...FILE_OPERATIONS.map(envelopeTool),
  ...PLAIN_OPERATIONS.map(plainTool),
]

export const TOOLS: ReadonlyMap<string, Tool> = new Map(all.map((tool) => [tool.name, tool]))
