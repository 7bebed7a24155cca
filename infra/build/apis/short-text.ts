/** Shortens Markdown descriptions to plain sentences. */

/** The first sentences that fit, or a cut at a word. Empty if not a string. */
export function shortText(markdown: unknown, maxLength: number, maxSentences = 2): string {
  if (typeof markdown !== 'string') return ''
  // Bounds the work of the patterns below.
  const text = plain(markdown.slice(0, maxLength * 10 + 1000))
  const sentences = text.match(/.+?(?:[.!?](?=\s+[^\sa-z]|$)|$)/g) ?? []
  let kept = ''
  for (const sentence of sentences.slice(0, maxSentences)) {
    if (kept !== '' && kept.length + sentence.length > maxLength) break
    kept += sentence
  }
  kept = kept.trim()
  if (kept.length <= maxLength) return kept
  const cut = kept.slice(0, maxLength)
  const lastSpace = cut.lastIndexOf(' ')
  return `${cut.slice(0, lastSpace > maxLength / 2 ? lastSpace : maxLength).replace(/[\s,;:.]+$/, '')}…`
}

/** Strips markup; paragraphs end like sentences. */
function plain(markdown: string): string {
  return (
    markdown
      .replace(/```[^]*?(?:```|$)/g, ' ')
      .replace(/<!--[^]*?(?:-->|$)/g, ' ')
      .replace(/<\/?[a-z][^<>]*>/gi, ' ')
      .replace(/!\[[^\]]*\]\([^)]*\)/g, ' ')
      .replace(/\[([^[\]]*)\]\([^)]*\)/g, '$1')
      .replace(/^[^\S\n]*(?:#{1,6}|>|[-*+]|\d+\.)[^\S\n]+/gm, '')
      .replace(/^[^\S\n]*\[!\w+\][^\S\n]*$/gm, '')
      .replace(/^[|:=\s-]{3,}$/gm, '')
      .replace(/[*_]{1,3}(?=\S)([^*_\n]+?)(?<=\S)[*_]{1,3}(?!\w)/g, '$1')
      .replace(/`/g, '')
      .replace(/\\([\\`*_{}[\]()#+.!|-])/g, '$1')
      .replace(/([^\s.!?:;,])[^\S\n]*\n\s*\n/g, '$1. ')
      // Control characters would end up in prompts and terminals.
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim()
  )
}
