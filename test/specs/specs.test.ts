/** Specifications as their owners wrote them, or as a directory of thousands keeps them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { BuildFailed } from '../../infra/build/apis/problems.ts'
import { writeModule } from '../../infra/build/apis/compile-catalog.ts'
import { compileSettings } from '../node/sdk/large-specs.ts'
import { faultsOf } from '../support/catalog-faults.ts'
import { PACKAGES } from './packages.ts'

const MAX_GZIP_BYTES = 200_000
const BEARER = 'auth = { type = "bearer", secret = "TOKEN" }'
const HERE = 'base_url = "https://here.example"'

const folder = process.env.SPECS_FOLDER ?? ''
const fileOf = (name: keyof typeof PACKAGES) => join(folder, name, PACKAGES[name].member)
const inDirectory = (name: string) => join(fileOf('directory'), name)

/** @param settings What `[apis.api]` says beside the file. */
const compileFile = (spec: string, settings: string) =>
  compileSettings(`[apis.api]\nspec = ${JSON.stringify(spec)}\nwrite = true\n${settings}`)

/** Kubernetes' own comes compressed. */
function kubernetes(): string {
  const file = join(folder, 'kubernetes.json')
  writeFileSync(file, gunzipSync(readFileSync(fileOf('kubernetes'))))
  return file
}

describe.each<[string, () => string, string, number]>([
  ['Kubernetes (Swagger 2)', kubernetes, `${HERE}\n${BEARER}`, 1014],
  ['Netlify (Swagger 2)', () => fileOf('netlify'), BEARER, 181],
  ['Figma (3.1, YAML)', () => fileOf('figma'), BEARER, 54],
  ['GitBook (3.1, YAML)', () => fileOf('gitbook'), BEARER, 377],
  ['Stripe (3.0)', () => inDirectory('stripe.com.json'), BEARER, 452],
  ['Zoom (3.0)', () => inDirectory('zoom.us.json'), BEARER, 373],
  ['DigitalOcean (3.0)', () => inDirectory('digitalocean.com.json'), BEARER, 290],
])('%s', (_, file, settings, functions) => {
  it('compiles into a small catalog that can be used', () => {
    const { catalog, texts } = compileFile(file(), settings)
    expect(catalog.apis[0]?.functions).toBe(functions)
    expect(gzipSync(writeModule(texts)).length).toBeLessThan(MAX_GZIP_BYTES)
    expect(faultsOf(catalog)).toEqual([])
  })
})

it('Kubernetes has types that hold themselves, and a property called $ref', () => {
  const { catalog, warnings } = compileFile(kubernetes(), `${HERE}\n${BEARER}`)
  const { JSONSchemaProps } = catalog.typesOf('api')
  expect(JSONSchemaProps?.text).toContain('"$ref"?: string')
  expect(JSONSchemaProps?.text).toContain('not?: JSONSchemaProps')
  expect(catalog.callsOf('api').read_core_v1_namespaced_pod).toMatchObject({
    method: 'GET',
    path: '/api/v1/namespaces/{namespace}/pods/{name}',
    returns: 'Pod',
  })
  expect(warnings).toEqual([])
})

it('Stripe gives every GET a body without fields, of which nothing is said', () => {
  expect(compileFile(inDirectory('stripe.com.json'), BEARER).warnings).toEqual([
    expect.stringContaining('paths./v1/files.post.servers: https://files.stripe.com is not used'),
  ])
})

/** Nothing to call, or two names for one thing. */
const REFUSED = {
  'adyen.com/BalancePlatformConfigurationNotification-v1.json': 'no function is left',
  'adyen.com/BalancePlatformPaymentNotification-v1.json': 'no function is left',
  'adyen.com/BalancePlatformReportNotification-v1.json': 'no function is left',
  'adyen.com/BalancePlatformTransferNotification-v3.json': 'no function is left',
  'adyen.com/ManagementNotificationService-v1.json': 'no function is left',
  'adyen.com/MarketPayNotificationService.json': 'no function is left',
  'daniweb.com.json': 'paths./users/~.get: is the second function named "get_users"',
  'firstinspires.org.json': 'no function is left',
  'googleapis.com/youtubeAnalytics.json': 'no function is left',
  'ipinfodb.com.json': 'no function is left',
  'iva-api.com.json': 'no function is left',
  'useapi.net.json': 'paths./jobs/.get: is the second function named "get_jobs"',
  'zenoti.com.json': 'no function is left',
}

it('thousands compile, or say why they do not', () => {
  const refused: Record<string, string> = {}
  const faults: string[] = []
  const names = readdirSync(fileOf('directory'), { recursive: true, encoding: 'utf8' })
  const files = names.filter((name) => name.endsWith('.json'))
  for (const name of files) {
    try {
      const { catalog } = compileFile(inDirectory(name), `${HERE}\ncaller_auth = true`)
      faults.push(...faultsOf(catalog).map((fault) => `${name}: ${fault}`))
    } catch (error) {
      if (!(error instanceof BuildFailed)) throw new Error(name, { cause: error })
      refused[name] = error.message
    }
  }
  expect(files).toHaveLength(2639)
  expect(faults).toEqual([])
  const reasons = Object.entries(REFUSED).map(([name, reason]) => [
    name,
    expect.stringContaining(reason) as string,
  ])
  expect(refused).toEqual(Object.fromEntries(reasons))
})
