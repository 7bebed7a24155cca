/** Rejected paths with their messages, and unusual ones that are allowed. */

/** If several messages apply, the one that takes precedence. */
export type BadPath = readonly [path: string, message: string]

const EMPTY = 'path cannot be empty'
export const NUL = 'path cannot contain null bytes'
const ABSOLUTE = 'path must be relative'
export const TRAVERSAL = "path cannot contain '..' traversal"
const FOLDER = 'path is not valid: names a folder'
const ENCODING = 'path is not valid: not UTF-8'
const CONTROL = 'path is not valid: contains control characters'
const BACKSLASH = 'path is not valid: contains a backslash'
export const LENGTH = 'path is not valid: longer than 512 bytes'

/** Invalid for files and folders. */
export const BAD_PATHS: readonly BadPath[] = [
  ['../users/bob/x', TRAVERSAL],
  ['..', TRAVERSAL],
  ['../', TRAVERSAL],
  ['../x', TRAVERSAL],
  ['../../other/x', TRAVERSAL],
  ['./../x', TRAVERSAL],
  ['a/..', TRAVERSAL],
  ['a/../b', TRAVERSAL],
  ['a/b/../../../c', TRAVERSAL],
  ['a/../../bob/x', TRAVERSAL],
  ['a/./../../bob/x', TRAVERSAL],
  ['share/..', TRAVERSAL],
  ['share/../x', TRAVERSAL],
  ['share/../users/bob/x', TRAVERSAL],
  ['../\\', TRAVERSAL],
  ['../\n', TRAVERSAL],
  ['/', ABSOLUTE],
  ['//', ABSOLUTE],
  ['/x', ABSOLUTE],
  ['/etc/passwd', ABSOLUTE],
  ['/../x', ABSOLUTE],
  ['/../\n', ABSOLUTE],
  ['//host/share/x', ABSOLUTE],
  ['a\0b', NUL],
  ['\0', NUL],
  ['a\0', NUL],
  ['a.txt\0.png', NUL],
  ['../\0', NUL],
  ['../\0x', NUL],
  ['/\0', NUL],
  ['/../\n\0', NUL],
  ['x\0/../../bob/x', NUL],
  ['..\\x', BACKSLASH],
  ['a\\b', BACKSLASH],
  ['a\\..\\b', BACKSLASH],
  ['..\\..\\users\\bob\\x', BACKSLASH],
  ['C:\\x', BACKSLASH],
  ['\\\\host\\x', BACKSLASH],
  ['a\x7fb', CONTROL],
  ['a\nb', CONTROL],
  ['a\n../x', CONTROL],
  ['a\r\nX: y', CONTROL],
  ['a\tb', CONTROL],
  ['a\x1bb', CONTROL],
  ['a\x7f', CONTROL],
  ['a\x85b', CONTROL],
  ['x'.repeat(513), LENGTH],
  [`${'é'.repeat(256)}x`, LENGTH],
  ['é'.repeat(257), LENGTH],
  [`${'a/'.repeat(300)}x`, LENGTH],
  ['x/'.repeat(40_000), LENGTH],
]

/** Lone surrogates, which strings can contain but URLs cannot. */
export const LONE_SURROGATES: readonly BadPath[] = [
  ['\ud800', ENCODING],
  ['a\udc00', ENCODING],
  ['a\udc00b', ENCODING],
  ['\udc00\ud800', ENCODING],
]

/** Valid where a folder is expected. */
export const FOLDERS: readonly BadPath[] = [
  ['.', FOLDER],
  ['./', FOLDER],
  ['a/', FOLDER],
  ['a/.', FOLDER],
]

/** The root, where a folder is optional. */
export const NOTHING: BadPath = ['', EMPTY]

/** Invalid UTF-8. */
export const BAD_BYTES: readonly (readonly [bytes: readonly number[], message: string])[] = [
  [[0x61, 0xff, 0x62], ENCODING],
  [[0x61, 0x80], ENCODING],
  [[0x61, 0xc0, 0xaf, 0x62], ENCODING],
  [[0xc0, 0xae, 0xc0, 0xae, 0x2f, 0x78], ENCODING],
  [[0x61, 0xed, 0xa0, 0x80, 0x62], ENCODING],
  [[0x61, 0xe6, 0x97], ENCODING],
  [[0xff, 0x00], NUL],
  [[0x2f, 0xff], ABSOLUTE],
  [[0x2e, 0x2e, 0x2f, 0xff], TRAVERSAL],
  // A truncated sequence must not swallow the slash after it.
  [[0xe6, 0x2f, 0x2e, 0x2e], TRAVERSAL],
]

/** Unusual but valid paths, with their normal form. */
export const ODD_PATHS: readonly (readonly [written: string, path: string])[] = [
  ['./a//b/./c.txt', 'a/b/c.txt'],
  ['http://x', 'http:/x'],
  [`./${'x'.repeat(512)}`, 'x'.repeat(512)],
  ...[
    'report.csv',
    '..notes',
    'a..',
    '...',
    'b/...',
    '.hidden',
    ' c ',
    'd e',
    ' ',
    'été/日本.txt',
    '😀',
    '\ufeffa',
    'f:b?c*d%2e%2e',
    '~/x',
    '$HOME',
    '%00',
    '%2e%2e/x',
    '..%2fx',
    '%2e%2e%2fx',
    '．．/x',
    '․․/x',
    '..\u200b/x',
    'C:/x',
    'area/x',
    'y'.repeat(512),
  ].map((path) => [path, path] as const),
]
