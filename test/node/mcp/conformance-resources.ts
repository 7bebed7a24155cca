/** Resources by address and by template, and subscriptions that nothing ever comes of. */
import { ResourceTemplate, type McpServer } from '@modelcontextprotocol/server'
import { IMAGE } from './conformance-content.ts'

const TEXT = { mimeType: 'text/plain', text: 'Static text.' }
const BINARY = { mimeType: IMAGE.mimeType, blob: IMAGE.data }
const WATCHED = { mimeType: 'text/plain', text: 'Never changes.' }

export function addResources(server: McpServer): void {
  for (const [name, content] of Object.entries({
    'static-text': TEXT,
    'static-binary': BINARY,
    'watched-resource': WATCHED,
  })) {
    const { mimeType } = content
    const about = { description: 'Known to the suite.', mimeType }
    server.registerResource(name, `test://${name}`, about, ({ href }) => ({
      contents: [{ uri: href, ...content }],
    }))
  }
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { description: 'Repeats a part of its address.', mimeType: 'application/json' },
    ({ href }, { id }) => ({
      contents: [
        {
          uri: href,
          mimeType: 'application/json',
          text: JSON.stringify({ id }),
        },
      ],
    }),
  )
  for (const method of ['resources/subscribe', 'resources/unsubscribe'] as const) {
    server.server.setRequestHandler(method, () => ({}))
  }
}
