/** Takes secrets out of what APIs send back: some echo the credential they were called with. */

/** Shorter ones would be found by chance. */
const MIN_LENGTH = 4
const MARK = new TextEncoder().encode('[redacted]')

/** Every secret of a run; those that come up later, such as access tokens, are added. */
export class Redactor {
  readonly #needles = new Map<string, Uint8Array>()

  /** In the forms in which it may come back. */
  hide(secret: string): void {
    if (secret.length < MIN_LENGTH) return
    const forms = [
      secret,
      JSON.stringify(secret).slice(1, -1),
      JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
      encodeURIComponent(secret),
      new URLSearchParams([['', secret]]).toString().slice(1),
      escapeHtml(secret),
      base64(secret),
    ]
    for (const form of forms) this.#needles.set(form, new TextEncoder().encode(form))
  }

  /** The same bytes where there is nothing to hide. */
  bytes(content: Uint8Array): Uint8Array {
    let clean = content
    // Longest first: a short form may be a part of a longer one.
    for (const needle of this.#longestFirst()) clean = replaceAll(clean, needle)
    return clean
  }

  text(content: string): string {
    let clean = content
    for (const needle of this.#longestFirst()) {
      clean = clean.replaceAll(new TextDecoder().decode(needle), '[redacted]')
    }
    return clean
  }

  #longestFirst(): Uint8Array[] {
    return [...this.#needles.values()].sort((a, b) => b.length - a.length)
  }
}

function replaceAll(content: Uint8Array, needle: Uint8Array): Uint8Array {
  const starts: number[] = []
  for (let at = find(content, needle, 0); at >= 0; at = find(content, needle, at + needle.length)) {
    starts.push(at)
  }
  if (starts.length === 0) return content
  const clean = new Uint8Array(content.length + starts.length * (MARK.length - needle.length))
  let from = 0
  let to = 0
  for (const start of starts) {
    clean.set(content.subarray(from, start), to)
    to += start - from
    clean.set(MARK, to)
    to += MARK.length
    from = start + needle.length
  }
  clean.set(content.subarray(from), to)
  return clean
}

function find(content: Uint8Array, needle: Uint8Array, from: number): number {
  const [first] = needle
  for (let at = content.indexOf(first!, from); at >= 0; at = content.indexOf(first!, at + 1)) {
    let length = 1
    while (length < needle.length && content[at + length] === needle[length]) length++
    if (length === needle.length) return at
  }
  return -1
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}
