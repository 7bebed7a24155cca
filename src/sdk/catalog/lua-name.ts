/** Names that a script can write after a dot. */

const KEYWORDS = new Set(
  'and break do else elseif end false for function goto if in local nil not or repeat return then true until while'.split(
    ' ',
  ),
)

/** Whether Lua takes the word for something else. */
export function isLuaKeyword(word: string): boolean {
  return KEYWORDS.has(word)
}

/** Tools may be called after any taste; in Lua a name has letters, digits and underscores. */
export function luaName(name: string): string {
  const plain = name.replace(/\W+/g, '_')
  return isLuaKeyword(plain) ? `${plain}_` : plain
}

/** Whether it can be a key of a table as it is. */
export function isLuaName(text: string): boolean {
  return /^[A-Za-z_]\w*$/.test(text) && !isLuaKeyword(text)
}
