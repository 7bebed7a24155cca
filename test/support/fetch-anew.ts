/** A connection for each request: workerd closes those that are kept now and then, also just as they are used again. */
export const fetchAnew: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers)
  headers.set('Connection', 'close')
  return fetch(input, { ...init, headers })
}
