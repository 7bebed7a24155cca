/**
 * Replaces the MCP library's JSON Schema validator, which Workers would bundle for nothing: it only
 * checks elicitation, which this service does not use. See `infra/build/bundles/bundle.ts`.
 */

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('elicitation is not supported')
  }
}

/** Used by a transport that Workers lack. */
export const process = {}
