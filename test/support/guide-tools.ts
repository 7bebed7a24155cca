/** The tools that docs/mcp.md lists, to be compared with those of a service. Node only. */
import { readDocument, section } from './documents.ts'
import { API_TOOLS, QUOTA_TOOLS } from './operations.ts'

export function guideTools(): string[] {
  const rows = section(readDocument('docs/mcp.md'), 'Tools').matchAll(
    /^- ((?:`\w+`,?\s+)*`\w+`):/gm,
  )
  return [...rows].flatMap(([, cell]) => cell!.match(/\w+/g)!).sort()
}

/** The names of these and of the tools that a service has only with APIs. */
export function withApiTools(tools: readonly { name: string }[]): string[] {
  const ofApis = [...API_TOOLS, ...QUOTA_TOOLS].map(({ tool }) => tool)
  return [...new Set([...tools.map(({ name }) => name), ...ofApis])].sort()
}
