/** A script as text, as the bundler imports it. */
declare module '*.lua' {
  const text: string
  export default text
}
