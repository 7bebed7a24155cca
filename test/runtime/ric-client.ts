/**
 * Lets AWS's own runtime client, `aws-lambda-ric`, run without its compiled part: preloaded, this file stands in
 * for it. Its answers to streaming functions, and with AWS_LAMBDA_NODEJS_USE_ALTERNATIVE_CLIENT_1 its questions
 * too, do not come that way.
 */
import { registerHooks } from 'node:module'

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === './rapid-client.node'
      ? { url: import.meta.url, format: 'module-typescript', shortCircuit: true }
      : next(specifier, context),
})

const absent = () => {
  throw new Error('the compiled client is not there')
}

export const next = absent
export const done = absent
export const error = absent
