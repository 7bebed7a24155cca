#!/usr/bin/env node
/** `moonbucket`: older versions of Node could not even read the program, so this says in one line what they lack. */
const [major] = process.versions.node.split('.')
if (Number(major) < 24) {
  console.error(`moonbucket: Node 24 or newer is needed, this is ${process.version}`)
  process.exit(2)
}
await import('./cli.mjs')
