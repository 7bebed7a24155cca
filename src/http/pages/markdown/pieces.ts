/** The output pieces of inline content. */

export interface Piece {
  readonly html: string
  /** Without tags, for image alt text and titles; still escaped. */
  readonly plain: string
  /** Links must not nest. */
  readonly link?: 'start' | 'end'
  /** Of an image; `plain` is its alt text. */
  readonly src?: string
}

export function textPiece(html: string): Piece {
  return { html, plain: html }
}

/** Web, mail, phone and in-page links only. Relative ones would need a token of their own. */
export function linkStart(href: string, title = ''): Piece {
  const isPlain = /^(?:https?:\/\/|mailto:|tel:|#)/i.test(href)
  const attributes = `href="${href}"${title && ` title="${title}"`}`
  return { html: isPlain ? `<a ${attributes}>` : '<a>', plain: '', link: 'start' }
}

export const LINK_END: Piece = { html: '</a>', plain: '', link: 'end' }

/**
 * Only images of the service and data URLs are shown; third-party images would track readers, so
 * they become links.
 *
 * @param ownAddress Of the service, with a trailing slash.
 */
export function piecesHtml(pieces: readonly Piece[], ownAddress: string): string {
  let html = ''
  let links = 0
  for (const piece of pieces) {
    if (piece.link === 'end') links -= 1
    if (piece.src !== undefined) html += imageHtml(piece.src, piece.plain, ownAddress, links > 0)
    else if (piece.link === undefined || links === 0) html += piece.html
    if (piece.link === 'start') links += 1
  }
  return html
}

export function piecesPlain(pieces: readonly Piece[], from = 0): string {
  let plain = ''
  for (let at = from; at < pieces.length; at += 1) plain += pieces[at]!.plain
  return plain
}

function imageHtml(src: string, alt: string, ownAddress: string, isInLink: boolean): string {
  if (src.startsWith(ownAddress) || /^data:image\//i.test(src)) {
    return `<img src="${src}" alt="${alt}">`
  }
  const text = alt === '' ? 'Image' : alt
  return isInLink || !/^https?:\/\//i.test(src) ? text : `<a href="${src}">${text}</a>`
}
