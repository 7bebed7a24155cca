/** Every tool, by name. */
import { OPERATIONS } from '../operations/registry.ts'
import type { Tool } from './tool.ts'

/** Where no API is configured. */
export const TOOLS = toolsWhere(false)

/** Where there is one. */
export const TOOLS_WITH_APIS = toolsWhere(true)

function toolsWhere(hasApis: boolean): ReadonlyMap<string, Tool> {
  const offered = OPERATIONS.filter(({ tool, needsApis }) => tool && (hasApis || !needsApis))
  const tools = offered.map(({ asTool }) => {
    const { description, descriptionWithApis = description } = asTool
    return { ...asTool, ...(hasApis && { description: descriptionWithApis }) } as Tool
  })
  return new Map(tools.map((tool) => [tool.tool, tool]))
}
