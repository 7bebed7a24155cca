/** What is deployed, built once per run of the tests. */
import { bundle } from '../../infra/build/bundles/bundle.ts'
import { madeOnce } from '../support/made-once.ts'

/** The folder of a bundle. */
export function bundled(name: 'lambda' | 'node'): Promise<string> {
  return madeOnce(name, async (folder) => void (await bundle(name, folder)))
}
