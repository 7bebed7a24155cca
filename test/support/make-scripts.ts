/** Saves scripts, runs them by name and lists them, over HTTP. */
import { expect } from 'vitest'
import { makeApp, type Claims, type MakeAppOptions } from './make-app.ts'

/** As in the list. */
interface Row {
  readonly name: string
  readonly description: string
  readonly schema: object
  readonly problem?: string
}

export async function makeScripts(options: MakeAppOptions = {}) {
  const made = await makeApp(options)

  async function save(path: string, source: string | Uint8Array<ArrayBuffer>, claims?: Claims) {
    const address = `/fs/content?path=${encodeURIComponent(path)}`
    const response = await made.send(address, { method: 'PUT', body: source }, claims)
    expect(response.status).toBe(200)
  }

  function call(name: string, body?: unknown, headers = {}, claims?: Claims) {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const init = { method: 'POST', headers, ...(body !== undefined && { body: text }) }
    return made.send(`/scripts/${name}`, init, claims)
  }

  async function failure(name: string, body?: unknown, claims?: Claims) {
    const response = await call(name, body, {}, claims)
    const { error } = (await response.json()) as { error: { message: string } }
    return [response.status, error.message]
  }

  async function list(query = '', claims?: Claims) {
    const response = await made.send(`/scripts${query}`, {}, claims)
    expect(response.status).toBe(200)
    return (await response.json()) as { scripts: Row[]; next?: string }
  }

  const names = async (claims?: Claims) => (await list('', claims)).scripts.map(({ name }) => name)
  return { ...made, save, call, failure, list, names }
}
