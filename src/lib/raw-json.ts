/** JSON that is passed on as it was written: parsed and written again, large numbers would be others. */

/** Stands for the value that its text is. */
export class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** An object as JSON; among its own fields there may be raw ones. */
export function jsonText(value: object): string {
  const fields = Object.entries(value).map(([name, field]) => [name, textOf(field)] as const)
  const known = fields.filter(([, text]) => text !== undefined)
  return `{${known.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`
}

function textOf(field: unknown): string | undefined {
  return field instanceof RawJson ? field.text : JSON.stringify(field)
}
