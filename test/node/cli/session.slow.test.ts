/** The picture of a session in the README shows what the commands print, and can be read. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../../infra/root.ts'
import { drawSession } from '../../../infra/session/draw.ts'
import { playSession } from '../../../infra/session/play.ts'
import { signToken } from '../../support/sign-token.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { sharedBrowser } from '../start-browser.ts'
import { sharedWorker } from '../start-worker.ts'

const picture = readFileSync(join(ROOT, 'docs/session.svg'), 'utf8')

it('shows what the commands print today', async () => {
  const { origin } = await sharedWorker()
  const key = await signToken({ tenant: `t-${crypto.randomUUID()}`, sub: 'alice' })
  const steps = await playSession({ origin, key }, tempFolder())
  expect(drawSession(steps), 'npm run record:session draws it anew').toBe(picture)
  expect(JSON.stringify(steps)).not.toContain(key)
})

it('needs nothing but itself', () => {
  expect(Buffer.byteLength(picture)).toBeLessThan(40_000)
  expect(picture).not.toMatch(/<(?:script|image|use|foreignObject)|@import|@font-face|url\(|href/)
})

it.each(['light', 'dark'] as const)('is drawn as an image, %s', async (colorScheme) => {
  const context = await (await sharedBrowser()).newContext({ colorScheme })
  const page = await context.newPage()
  const source = `data:image/svg+xml;base64,${Buffer.from(picture).toString('base64')}`
  await page.setContent(`<img src="${source}">`)
  const corner = await page.evaluate(async () => {
    const image = document.querySelector('img')!
    await image.decode()
    const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight).getContext('2d')!
    canvas.drawImage(image, 0, 0)
    return [...canvas.getImageData(image.naturalWidth / 2, 50, 1, 1).data]
  })
  await context.close()
  expect(corner).toEqual({ light: [255, 255, 255, 255], dark: [18, 22, 28, 255] }[colorScheme])
})

it('keeps every space, and has room for its widest line', async () => {
  const context = await (await sharedBrowser()).newContext()
  const page = await context.newPage()
  await page.setContent(picture)
  const faults = await page.evaluate(() => {
    const { width } = document.querySelector('svg')!.viewBox.baseVal
    return [...document.querySelectorAll('text')]
      .filter((line) => {
        const { x, width: drawn } = line.getBBox()
        return x + drawn > width || line.getNumberOfChars() !== line.textContent.length
      })
      .map(({ textContent }) => textContent)
  })
  await context.close()
  expect(faults).toEqual([])
})
