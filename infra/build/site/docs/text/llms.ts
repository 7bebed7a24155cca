/** `/llms.txt` and `/llms-full.txt`: where a model finds what, and everything at once. */
import { PLACEHOLDER_ORIGIN } from '../../../../../src/site/placeholder-origin.ts'
import { SECTIONS } from '../frame.ts'

const HEAD = `# Moonbucket

> Run Lua at the edge, keep the files in your own bucket. One HTTP request or MCP tool call runs a
> Lua 5.4 script in a fresh WebAssembly VM. Its files live in an S3-compatible bucket, and the
> response contains the result, the logs and a link to every file the script touched.

Examples write \`${PLACEHOLDER_ORIGIN}\` for the address of the service: use the one that this file
came from. Requests need a bearer token.
`

/** As llmstxt.org describes it: a title, a summary, and lists of links. */
export function llmsIndex(): string {
  const groups = SECTIONS.map(([group, sections]) => {
    const links = sections.map(([path, title, summary]) => `- [${title}](${path}.md): ${summary}`)
    return `## ${group}\n\n${links.join('\n')}\n`
  })
  return [HEAD, ...groups, OPTIONAL].join('\n')
}

const OPTIONAL = `## Optional

- [OpenAPI](/openapi.json): The HTTP API for machines.
- [All of these pages](/llms-full.txt): One file, without the pages of single functions.
`

/** @param pages Markdown by path. */
export function llmsFull(pages: ReadonlyMap<string, string>): string {
  const paths = SECTIONS.flatMap(([, sections]) => sections.map(([path]) => path))
  const texts = paths.map((path) => `Source: ${path}.md\n\n${pages.get(path)!}`)
  return [HEAD, ...texts].join('\n---\n\n')
}
