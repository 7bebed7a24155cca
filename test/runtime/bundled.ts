/** What is deployed, built once per process of the tests. */
import { bundle } from '../../infra/build/bundles/bundle.ts'
import { tempFolder } from '../support/temp-folder.ts'

const folders = new Map<string, Promise<string>>()

/** The folder of a bundle. */
export function bundled(name: 'lambda' | 'node'): Promise<string> {
  const made = folders.get(name) ?? build(name)
  folders.set(name, made)
  return made
}

async function build(name: 'lambda' | 'node'): Promise<string> {
  const folder = tempFolder()
  await bundle(name, folder)
  return folder
}
