/** Everything that is fuzzed, by the name it is asked for with. */
import { files } from './files.ts'
import { json } from './json.ts'
import { keys } from './keys.ts'
import { paths } from './paths.ts'
import { programs } from './programs.ts'
import { requests } from './requests.ts'
import type { Target } from './target.ts'
import { jwts, links } from './tokens.ts'

export const TARGETS: Readonly<Record<string, Target>> = {
  paths,
  keys,
  jwts,
  links,
  requests,
  json,
  files,
  programs,
}
