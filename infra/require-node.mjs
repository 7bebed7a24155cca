/** Ends with one line if the scripts do not run on the Node that `npm ci` installs beside them. */
const [major] = process.versions.node.split('.')
if (Number(major) < 24) {
  console.error(
    `Node 24 is needed, this is ${process.version}: run "npm ci" with install scripts allowed for the package "node"`,
  )
  process.exit(1)
}
