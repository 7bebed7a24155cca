/** Starts the browser that comes with the development dependencies: no download, no installed one. */
import serverChromium from '@sparticuz/chromium'
import { chromium, type Browser } from 'playwright-core'

let shared: Promise<Browser> | undefined

/**
 * One per process, gone with it: each visit has a context of its own.
 * @throws with what to do about it, when there is no browser: pages are never left untested in silence.
 */
export function sharedBrowser(): Promise<Browser> {
  shared ??= startBrowser()
  return shared
}

async function startBrowser(): Promise<Browser> {
  try {
    return await chromium.launch({
      executablePath: await serverChromium.executablePath(),
      args: ['--no-sandbox', '--disable-background-networking'],
      timeout: 30_000,
    })
  } catch (cause) {
    const message =
      'Chromium from @sparticuz/chromium did not start. It is made for Linux on x64 and needs its ' +
      'shared libraries (libnss3); the cause says which are missing.'
    throw new Error(message, { cause })
  }
}
