/** Text that outsiders wrote, made safe to stand anywhere in a page. */

/** For content and for attributes in either kind of quotes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/**
 * A name as a person reads it, escaped. Marks that turn the direction of writing are shown as
 * replacement characters: with them `fdp.exe` passes for `exe.pdf`.
 */
export function escapeName(name: string): string {
  return escapeHtml(name.replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd'))
}
