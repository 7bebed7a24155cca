/** Compiles specifications that tests write down, as an installation with one API would. */
import { join } from 'node:path'
import { Catalog } from '../../../src/sdk/catalog/catalog.ts'
import { compileCatalog } from '../../../infra/build/apis/compile-catalog.ts'
import { BuildFailed } from '../../../infra/build/apis/problems.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** @param spec A document, or the text of `shop.yaml`. @param settings What `[apis.shop]` says beside the file. */
export function compileSpec(spec: unknown, settings = 'write = true') {
  const isText = typeof spec === 'string'
  const file = isText ? 'shop.yaml' : 'shop.json'
  return compileFiles({
    [file]: isText ? spec : JSON.stringify(spec),
    'moonbucket.toml': `[apis.shop]\nspec = "${file}"\n${settings}`,
  })
}

/** A catalog, and what it has of an API called `shop`. */
export function compileFiles(files: Readonly<Record<string, string>>) {
  const folder = tempFolder(files)
  const { texts, warnings } = compileCatalog(join(folder, 'moonbucket.toml'), 'moonbucket.toml')
  const catalog = new Catalog(texts)
  return {
    texts,
    catalog,
    warnings,
    call: (name: string) => catalog.callsOf('shop')[name]!,
    param: (functionName: string, name: string) =>
      catalog.callsOf('shop')[functionName]!.params.find((param) => param.name === name),
    names: catalog.functionsOf('shop').map(({ name }) => name),
    type: (name: string) => catalog.typesOf('shop')[name]?.text,
  }
}

/** The lines that a build fails with; none when it does not fail. */
export function failureOf(compile: () => unknown): string[] {
  try {
    compile()
    return []
  } catch (error) {
    if (!(error instanceof BuildFailed)) throw error
    return error.message.split('\n')
  }
}

/** A document of OpenAPI 3 with the given paths. */
export function openapi(paths: unknown, more: object = {}) {
  return {
    openapi: '3.0.3',
    info: { title: 'Shop', version: '1' },
    servers: [{ url: 'https://shop.example/v1' }],
    paths,
    ...more,
  }
}

/** A document of Swagger 2 with the given paths. */
export function swagger(paths: unknown, more: object = {}) {
  return {
    swagger: '2.0',
    info: { title: 'Shop', version: '1' },
    host: 'shop.example',
    basePath: '/v1',
    schemes: ['http', 'https'],
    paths,
    ...more,
  }
}

/** `GET /things`, called `find`, with the given parameters. */
export function finding(...parameters: readonly unknown[]) {
  return openapi({ '/things': { get: { operationId: 'find', parameters } } })
}

/** `GET /things`, called `find`, that answers with a schema. */
export function answering(schema: unknown, schemas: object = {}) {
  const content = { 'application/json': { schema } }
  return openapi(
    { '/things': { get: { operationId: 'find', responses: { 200: { content } } } } },
    { components: { schemas } },
  )
}

/** `POST /things`, called `make`, that takes a body. */
export function taking(content: unknown, more: object = {}) {
  const requestBody = { content, ...more }
  return openapi({ '/things': { post: { operationId: 'make', requestBody } } })
}
