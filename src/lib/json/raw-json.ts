/** JSON that is passed on as text: parsing and serializing it would change large numbers. */

/** A value as its JSON text. */
export class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** An object as JSON; its own fields may be raw. */
export function jsonText(value: object): string {
  const fields = Object.entries(value).map(([name, field]) => [name, textOf(field)] as const)
  const known = fields.filter(([, text]) => text !== undefined)
  return `{${known.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`
}

function textOf(field: unknown): string | undefined {
  return field instanceof RawJson ? field.text : JSON.stringify(field)
}
