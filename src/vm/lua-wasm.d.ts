/** A compiled module, as workerd bundlers import it. */
declare module '*.wasm' {
  const module: WebAssembly.Module
  export default module
}
