/** Fetches without keep-alive: workerd sometimes closes an idle connection just as it is reused. */
export const fetchAnew: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers)
  headers.set('Connection', 'close')
  return fetch(input, { ...init, headers })
}
