/** Exits with one line unless run by the Node that `npm ci` installs. */
const [major] = process.versions.node.split('.')
if (Number(major) < 24) {
  console.error(
    `Node 24 is needed, this is ${process.version}: run "npm ci" with install scripts allowed for the package "node"`,
  )
  process.exit(1)
}
