/**
 * Stands in for a part of the MCP library that a Worker would carry for nothing: the check of people's answers
 * against JSON Schema, which no tool of this service asks for. `infra/build/bundles/bundle.ts` puts it in its place.
 */

/** The library makes one per server. */
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('this service asks people nothing')
  }
}

/** For a transport that Workers do not have. */
export const process = {}
