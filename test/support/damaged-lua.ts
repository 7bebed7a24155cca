/** Loads the module whose `os.difftime` breaks the VM, in Node and in workerd. */

/** Takes the place of the product's own. */
export async function loadLua(): Promise<WebAssembly.Module> {
  if (navigator.userAgent === 'Cloudflare-Workers') {
    return (await import('./damaged-lua.wasm')).default
  }
  const { readFile } = await import('node:fs/promises')
  return WebAssembly.compile(await readFile(new URL('./damaged-lua.wasm', import.meta.url)))
}
