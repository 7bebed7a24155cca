#!/usr/bin/env node
/** `moonbucket`: older versions of Node cannot parse the program, so this checks first. */
const [major] = process.versions.node.split('.')
if (Number(major) < 24) {
  console.error(`moonbucket: Node 24 or newer is needed, this is ${process.version}`)
  process.exit(1)
}
await import('./cli.mjs')
