/** Blocks of content that the suite's tools, resources and prompts answer with. */

/** One pixel. */
export const IMAGE = {
  type: 'image',
  mimeType: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg==',
} as const

/** A head and no samples. */
export const AUDIO = {
  type: 'audio',
  mimeType: 'audio/wav',
  data: 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=',
} as const

export function text(value: string) {
  return { type: 'text', text: value } as const
}

export function resource(uri: string, mimeType: string, value: string) {
  return { type: 'resource', resource: { uri, mimeType, text: value } } as const
}
