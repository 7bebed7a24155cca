/** Compiles a specification as an installation would. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Catalog } from '../../src/sdk/catalog/catalog.ts'
import { compileCatalog, writeModule } from '../../infra/build/apis/compile-catalog.ts'

/** What became of a specification. */
export interface CompiledFile {
  readonly catalog: Catalog
  readonly warnings: readonly string[]
  readonly gzipBytes: number
  readonly ms: number
}

/** @param settings What `[apis.api]` says beside the file. @throws {BuildFailed} */
export function compileFile(spec: string, settings: string): CompiledFile {
  const folder = mkdtempSync(join(tmpdir(), 'moonbucket-spec-'))
  try {
    const path = join(folder, 'moonbucket.toml')
    writeFileSync(path, `[apis.api]\nspec = ${JSON.stringify(spec)}\nwrite = true\n${settings}`)
    const begin = performance.now()
    const { texts, warnings } = compileCatalog(path, 'moonbucket.toml')
    const ms = performance.now() - begin
    const gzipBytes = gzipSync(writeModule(texts)).length
    return { catalog: new Catalog(texts), warnings, gzipBytes, ms }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
