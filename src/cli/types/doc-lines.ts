/** Comments of definition files. */

export const META = '---@meta\n-- Written by `moonbucket types`, which replaces it.'

/** Text as a comment; nothing in it becomes an annotation or code. */
export function docLines(text: string): string[] {
  return text
    .split(/\r\n|[\n\r]/)
    .map((line) => `--- ${line.replace(/^(\s*)([@|])/, '$1\\$2')}`.trimEnd())
}
