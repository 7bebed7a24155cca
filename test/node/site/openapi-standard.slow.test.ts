import { join } from 'node:path'
import { expect, it } from 'vitest'
import { SITE_FOLDER } from '../../../infra/build/site/build.ts'
import { loadPackage } from '../../all/packages.ts'

interface Validators {
  readonly Validator: new () => {
    validate(file: string): Promise<{ valid: boolean; errors?: unknown }>
  }
}

it('openapi.json is OpenAPI 3.1 to a public validator', async () => {
  const { Validator } = loadPackage<Validators>('@seriousme/openapi-schema-validator')
  const { valid, errors } = await new Validator().validate(join(SITE_FOLDER, 'openapi.json'))
  expect({ valid, errors }).toEqual({ valid: true, errors: undefined })
})
