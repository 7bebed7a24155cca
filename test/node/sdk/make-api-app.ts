/** The whole service with APIs on loopback, as it is deployed; catalogs are made by hand or compiled. */
import type { CatalogTexts } from '../../../src/sdk/catalog/catalog.ts'
import { nodeFetch } from '../../../src/lib/node-fetch.ts'
import { configureApis } from '../../../src/sdk/call/run-apis.ts'
import { catalogTexts, type ApiSketches } from '../../support/make-catalog.ts'
import { makeApp, type Answer, type MakeAppOptions } from '../../support/make-app.ts'

/** Which secrets there are, and whether loopback is allowed (it is). */
export interface MakeApiAppOptions extends Omit<MakeAppOptions, 'apis'> {
  readonly secrets?: Readonly<Record<string, string>>
  readonly allowsLoopback?: boolean
}

export function makeApiApp(sketches: ApiSketches, options?: MakeApiAppOptions) {
  return makeCompiledApp(catalogTexts(sketches), options)
}

/** An answer that holds a secret fails the test, wherever the secret is. */
export async function makeCompiledApp(texts: CatalogTexts, options: MakeApiAppOptions = {}) {
  const { secrets = {}, allowsLoopback = true, ...rest } = options
  const now = options.now ?? (() => new Date())
  const apis = configureApis(texts, { env: secrets, allowsLoopback, now, fetch: nodeFetch })
  const made = await makeApp({ ...rest, now, apis })
  for (const [name, secret] of Object.entries(secrets)) made.leaks.hide(name, secret)

  /** The answer as text, for what must not be in it. */
  async function answerText(script: string, body: object = {}): Promise<string> {
    return (await made.post({ script, ...body })).text()
  }

  /** What a script that must not fail returns. */
  async function resultOf(script: string, body: object = {}): Promise<unknown> {
    const answer: Answer = await made.run(script, body)
    if (answer.error) throw new Error(JSON.stringify(answer.error))
    return answer.result
  }

  /** The table that a call raises, with what it says of itself. */
  function raisedBy(call: string, body: object = {}): Promise<unknown> {
    const script = `
      local ok, e = pcall(function() local value = ${call} return value end)
      if ok then return "it did not fail" end
      if type(e) ~= "table" then return e end
      return { status = e.status, code = e.code, message = e.message, body = e.body,
        retry_after = e.retry_after }`
    return resultOf(script, body)
  }

  return { ...made, answerText, resultOf, raisedBy }
}
