/** Runs nothing: what a request by itself takes. */
export default {
  fetch: () => new Response('2'),
}
