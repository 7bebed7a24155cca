/** All tools by name. */
import { OPERATIONS } from '../operations/registry.ts'
import type { Tool } from './tool.ts'

/** Without configured APIs. */
export const TOOLS = toolsWhere(false)

/** With configured APIs. */
export const TOOLS_WITH_APIS = toolsWhere(true)

function toolsWhere(hasApis: boolean): ReadonlyMap<string, Tool> {
  const offered = OPERATIONS.filter(({ tool, needsApis }) => tool && (hasApis || !needsApis))
  const tools = offered.map(({ asTool }) => {
    const { description, descriptionWithApis = description } = asTool
    return { ...asTool, ...(hasApis && { description: descriptionWithApis }) } as Tool
  })
  return new Map(tools.map((tool) => [tool.tool, tool]))
}
