/** Keys that are hard to write into URLs, signatures and XML. */
const KEYS = [
  'a b',
  ' a ',
  'a  b',
  'a+b',
  'é/日本/😀',
  'e\u0301',
  '100%',
  '%2F%20',
  'a#b',
  'a?b=c&d',
  '&amp;',
  "!'()*",
  '-_.~$,;:@=',
  'a//b/',
  '"<>\\^`{|}',
  'x'.repeat(512),
  'é'.repeat(256),
]

/** Each after a title that is not too long. */
export function hardKeys(...more: string[]): (readonly [title: string, key: string])[] {
  return [...KEYS, ...more].map((key) => [
    key.length < 20 ? key : `${key.slice(0, 3)}… (${key.length})`,
    key,
  ])
}
