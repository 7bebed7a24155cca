import { Worker } from 'node:worker_threads'
import { readFileSync, writeFileSync } from 'node:fs'
const rss = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024
const lua = await WebAssembly.compile(readFileSync('dist/node/lua.wasm'))
const config = { s3: { bucket: 'b', endpoint: 'http://127.0.0.1:9', region: 'auto', accessKeyId: 'a', secretAccessKey: 'b', forcePathStyle: true } , limits: {}, linkSecrets: []}
writeFileSync('/tmp/empty.mjs', "import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => 0); parentPort.postMessage({type:'x'})")
writeFileSync('/tmp/sdk.mjs', "import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => 0); await import('/tmp/lab-node/node_modules/@aws-sdk/client-s3/dist-es/index.js').catch(e=>import('/tmp/lab-node/node_modules/@aws-sdk/client-s3/dist-cjs/index.js')); parentPort.postMessage({type:'x'})")
for (const [file, limits] of [['/tmp/empty.mjs', {}], ['/tmp/empty.mjs', { maxYoungGenerationSizeMb: 16 }], ['./dist/node/node-runner.mjs', {}], ['./dist/node/node-runner.mjs', { maxYoungGenerationSizeMb: 16 }],['./dist/node/node-runner.mjs', { maxYoungGenerationSizeMb: 4 }]]) {
  const before = rss()
  const t = performance.now()
  const ws = []
  for (let i = 0; i < 6; i++) { const w = new Worker(file, { workerData: { config, lua }, resourceLimits: limits }); ws.push(w); await new Promise((d) => { w.on('online', d) }); }
  const online = performance.now() - t
  await new Promise((d) => setTimeout(d, 4000))
  console.log(file, limits, ((rss() - before) / 6).toFixed(1), 'MB each; online', (online / 6).toFixed(0), 'ms')
  for (const w of ws) await w.terminate()
  await new Promise((d) => setTimeout(d, 500))
}
