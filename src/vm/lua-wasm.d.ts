/** A compiled module, as bundlers for workerd import it. */
declare module '*.wasm' {
  const module: WebAssembly.Module
  export default module
}
