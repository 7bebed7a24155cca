/** Images from files. */
import { el } from '../page/dom.ts'
import type { Client } from '../service/client.ts'
import type { RunFile } from '../service/run-script.ts'
import { contentTypeOf } from '../../../files/content-type.ts'
import { kindOf } from './file-kind.ts'

/** SVG in an `img` cannot run scripts. */
export function pictureOf(
  path: string,
  bytes: Uint8Array<ArrayBuffer>,
  onBroken: () => void,
): HTMLImageElement {
  const address = URL.createObjectURL(new Blob([bytes], { type: contentTypeOf(path) }))
  const release = () => URL.revokeObjectURL(address)
  return el('img', {
    src: address,
    alt: path,
    on: {
      load: release,
      error() {
        release()
        onBroken()
      },
    },
  })
}

const MAX_BYTES = 2 * 1024 * 1024

/**
 * Shows the first image a run made. `null` if there is none; removes an image that fails to load.
 */
export function inlineImage(
  rows: readonly RunFile[],
  client: Client,
  openFile: (path: string) => void,
): HTMLElement | null {
  const row = rows.find(
    ({ name, op, stored, bytes }) =>
      kindOf(name) === 'image' && op !== 'remove' && stored !== false && bytes <= MAX_BYTES,
  )
  if (!row) return null
  const frame = el('button', {
    type: 'button',
    class: 'inline-image',
    'aria-label': `Preview ${row.name}`,
    on: { click: () => openFile(row.name) },
  })
  void client.read(row.name, MAX_BYTES).then(
    ({ bytes }) => frame.append(pictureOf(row.name, bytes, () => frame.remove())),
    () => frame.remove(),
  )
  return frame
}
