/** A thread of the pool that does what no run ever should; the script says what. */
import { parentPort, threadId } from 'node:worker_threads'
import type { FromRunner, RunRequest, ToRunner } from '../../../src/pool/messages.ts'
import type { VirtualPath } from '../../../src/files/path.ts'

const port = parentPort!
let end: (() => void) | undefined

port.on('message', (message: ToRunner) => {
  if (message.type === 'leave') end?.()
  else void run(message.request)
})

async function run({ input, requestId }: RunRequest): Promise<void> {
  send({ type: 'admitted' })
  send({ type: 'logs', lines: ['one', 'two'] })
  for (const name of ['b.txt', 'a.txt']) {
    send({ type: 'file', row: { name: name as VirtualPath, op: 'write', bytes: 3 } })
  }
  switch (input.script) {
    case 'block':
      for (;;);
    case 'fill memory': {
      const kept: unknown[] = []
      const text = 'x'.repeat(1_000_000)
      for (;;) kept.push(JSON.stringify(text))
    }
    case 'throw':
      throw new Error('thrown on the thread')
    case 'exit':
      return process.exit(3)
    case 'fail':
      return send({ type: 'failed', fault: 'Error: described by the thread' })
    case 'wait for leave':
      end = answer
      return
    default:
      return answer()
  }

  function answer(): void {
    const resultJson = JSON.stringify({ threadId, requestId })
    const executed = {
      answer: { resultJson, logs: [], files_touched: [] },
      stats: { fuelUsed: 1, memoryBytes: 1, timing: { admit: 0, vm: 0, run: 0, storage: 0 } },
    }
    send({ type: 'done', executed, areLogsRelayed: true })
  }
}

function send(message: FromRunner): void {
  port.postMessage(message)
}
