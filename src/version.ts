/** The release that answers; the same as in `package.json`. */
export const VERSION = '0.2.0'
