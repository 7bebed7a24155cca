/** Lua identifiers. */

const KEYWORDS = new Set(
  'and break do else elseif end false for function goto if in local nil not or repeat return then true until while'.split(
    ' ',
  ),
)

export function isLuaKeyword(word: string): boolean {
  return KEYWORDS.has(word)
}

/** Turns a tool name into an identifier. */
export function luaName(name: string): string {
  const plain = name.replace(/\W+/g, '_')
  return isLuaKeyword(plain) ? `${plain}_` : plain
}

export function isLuaName(text: string): boolean {
  return /^[A-Za-z_]\w*$/.test(text) && !isLuaKeyword(text)
}
