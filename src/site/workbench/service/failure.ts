/** Failed requests as messages: what happened, and what to do. */

/** `needsToken`: nothing can be sent without a new token. */
export interface Failure {
  readonly title: string
  readonly advice: string
  readonly needsToken?: boolean
}

/** Refused, or not sent. */
export class RequestFailed extends Error {
  readonly failure: Failure
  /** 0 without a response. */
  readonly status: number

  constructor(failure: Failure, status = 0, options?: ErrorOptions) {
    super(`${failure.title} ${failure.advice}`, options)
    this.name = 'RequestFailed'
    this.failure = failure
    this.status = status
  }
}

const HOW_TO_GET_A_TOKEN =
  'Ask whoever runs this service for a token. On your own machine, `npm run -s token -- --tenant acme --user alice` prints one.'

export const NO_TOKEN: Failure = {
  title: 'A token is needed first.',
  advice: `Paste one at the top of this page. ${HOW_TO_GET_A_TOKEN}`,
  needsToken: true,
}

export const EXPIRED: Failure = {
  title: 'The token has expired.',
  advice: `Forget it and paste a new one. ${HOW_TO_GET_A_TOKEN}`,
  needsToken: true,
}

export const UNREACHABLE: Failure = {
  title: 'The service cannot be reached.',
  advice: 'Check that it is running and that you are online, then try again. Your script is kept.',
}

export const BROKEN_OFF: Failure = {
  title: 'The connection broke before the run had ended.',
  advice:
    'The service was stopped, or the network failed. Files that the script had closed by then may be stored: ' +
    'look into Files. Your script is kept; run it again when the service is back.',
}

/** Advice by status; the service's own message comes first. */
const ADVICE: Readonly<Record<number, string>> = {
  401: `Paste another token. ${HOW_TO_GET_A_TOKEN}`,
  403: 'Use a token that has this scope.',
  404: 'It may have been deleted meanwhile: refresh the list.',
  413: 'Make it smaller, or write it in parts from a script.',
  429: 'Wait a minute, then try again.',
  503: 'It is busy or its store does not answer. Try again in a few seconds.',
}

export function refusal(status: number, message: string, requestId?: string): RequestFailed {
  const reference = requestId && status >= 500 ? ` If it stays, report request ${requestId}.` : ''
  const advice = ADVICE[status] ?? (status >= 500 ? 'Try again.' : '')
  return new RequestFailed({ title: message, advice: advice + reference }, status)
}
