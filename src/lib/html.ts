/** Escapes untrusted text for HTML. */

/** For content and for attributes in either kind of quotes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/**
 * Also replaces marks that change the direction of writing: with them `fdp.exe` passes for
 * `exe.pdf`.
 */
export function escapeName(name: string): string {
  return escapeHtml(name.replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd'))
}
