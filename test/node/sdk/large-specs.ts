/** The two large APIs that the tests know. */
import { Catalog } from '../../../src/sdk/catalog/catalog.ts'
import { compileCatalog, type BuiltCatalog } from '../../../infra/build/apis/compile-catalog.ts'
import { packageFile } from '../../all/packages.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { kubernetesLike } from './kubernetes-like.ts'

/** A catalog and the texts it was made of. */
export interface LargeApi extends BuiltCatalog {
  readonly catalog: Catalog
}

/** GitHub's own specification, with everything that writes. */
export function compileGithub(): LargeApi {
  const spec = packageFile('@octokit/openapi/generated/api.github.com.json')
  return compileSettings(
    `[apis.github]\nspec = ${JSON.stringify(spec)}\nwrite = true\nauth = { type = "bearer", secret = "GITHUB_TOKEN" }\n`,
  )
}

export function compileKubernetesLike(): LargeApi {
  return compileSettings(
    '[apis.cluster]\nspec = "cluster.json"\nbase_url = "https://cluster.example"\nwrite = true\nauth = { type = "bearer", secret = "CLUSTER_TOKEN" }\n',
    { 'cluster.json': JSON.stringify(kubernetesLike()) },
  )
}

/** The same, compiled once for a whole file of tests. */
export const github = once(compileGithub)
export const kubernetes = once(compileKubernetesLike)

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}

/** @throws {BuildFailed} */
export function compileSettings(
  settings: string,
  files: Readonly<Record<string, string>> = {},
): LargeApi {
  const folder = tempFolder({ ...files, 'moonbucket.toml': settings })
  const built = compileCatalog(`${folder}/moonbucket.toml`, 'moonbucket.toml')
  return { ...built, catalog: new Catalog(built.texts) }
}
