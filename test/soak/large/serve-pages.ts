/** An API with a large listing, in a process of its own: prints its origin. Its argument is MiB. */
import { createServer } from 'node:http'
import { listen } from '../../support/listen.ts'
import { pageOf } from './data.ts'

const mib = Number(process.argv[2])

const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url!, 'http://127.0.0.1')
  const body = pageOf(mib, Number(searchParams.get('cursor') ?? 0))
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length })
  response.end(body)
})
console.info((await listen(server)).origin)
