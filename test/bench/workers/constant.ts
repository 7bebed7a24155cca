/** Runs nothing: the cost of a request alone. */
export default {
  fetch: () => new Response('2'),
}
