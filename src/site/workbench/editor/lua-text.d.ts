/** Lua scripts, which the bundler imports as text. */
declare module '*.lua' {
  const text: string
  export default text
}
