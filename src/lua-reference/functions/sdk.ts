/** `sdk`: the APIs that an installation offers to scripts. Examples use an API called `pets`. */
import type { LuaFunction } from '../lua-function.ts'

const NEW = 'Stock Lua has no network at all; scripts reach the configured APIs and nothing else.'

export const SDK_FUNCTIONS: readonly LuaFunction[] = [
  {
    name: 'sdk.search',
    signature: 'sdk.search(question) → list',
    summary: 'Finds functions of the configured APIs by what they do, the best first.',
    details: 'Each entry has `name`, `signature` and `summary`.',
    differs: NEW,
    example: 'return sdk.search("list all pets")[1].name',
    returns: '"pets.list_pets"',
  },
  {
    name: 'sdk.help',
    signature: 'sdk.help(name?) → string',
    summary: 'Describes an API, a function or a type; without a name, lists the APIs.',
    differs: NEW,
    example: 'return sdk.help()',
    returns: '"pets: Pet Store (2 functions)"',
  },
  {
    name: 'sdk.parallel',
    signature: 'sdk.parallel{ { f, args, options }, … } → results, errors',
    summary: 'Makes several calls at once and waits for all of them.',
    details:
      'Results stand at the place of their call. If any call failed there is a second table, with the errors at their places; nothing is raised.',
    differs: NEW,
    example:
      'local results, errors = sdk.parallel{\n  { sdk.pets.get_pet, { id = 1 } },\n  { sdk.pets.get_pet, { id = 2 } },\n}\nreturn { results[1].id, results[2].id, errors == nil }',
    returns: '[1,2,true]',
  },
  {
    name: 'sdk.pages',
    signature: 'sdk.pages(f, args?, options?) → iterator',
    summary: 'Goes through all pages of a listing: the page and its number.',
    details:
      'It follows `Link` headers, page numbers, offsets and cursors. Every page counts as a call.',
    differs: NEW,
    example:
      'local count = 0\nfor page in sdk.pages(sdk.pets.list_pets) do\n  count = count + #page\nend\nreturn count',
    returns: '3',
  },
]
