/** Loads the module whose `os.difftime` traps, in Node and in workerd. */

/** Replaces the service's `loadLua`. */
export async function loadLua(): Promise<WebAssembly.Module> {
  if (navigator.userAgent === 'Cloudflare-Workers') {
    return (await import('./damaged-lua.wasm')).default
  }
  const { readFile } = await import('node:fs/promises')
  return WebAssembly.compile(await readFile(new URL('./damaged-lua.wasm', import.meta.url)))
}
