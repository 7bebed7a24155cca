/** `sdk`: the APIs that an installation offers to scripts. Examples use an API called `pets`. */
import { library } from '../lua-function.ts'

export const SDK = library({
  name: 'sdk',
  title: 'APIs',
  summary:
    'The APIs that this installation offers, as `sdk.<api>.<function>{ param = … }`: they return decoded data, and a failure raises a table with `status`, `code` and `message`. With `{ save_to = "output/x.json" }` as a second argument, the response is saved as a file instead.',
  differs: 'Stock Lua has no network at all; scripts reach the configured APIs and nothing else.',
  functions: [
    {
      signature: 'sdk.search(question) → list',
      summary: 'Finds functions of the configured APIs by what they do, best first.',
      details: 'Each entry has `name`, `signature` and `summary`.',
      example: 'return sdk.search("list all pets")[1].name',
      returns: '"pets.list_pets"',
    },
    {
      signature: 'sdk.help(name?) → string',
      summary: 'Describes an API, a function or a type; without a name, lists the APIs.',
      example: 'return sdk.help()',
      returns: '"pets: Pet Store (2 functions)"',
    },
    {
      signature: 'sdk.parallel{ { f, args, options }, … } → results, errors',
      summary: 'Makes several calls at once and waits for all of them.',
      details:
        'Results are at the index of their call. If any call failed, a second table has the errors at their indices; no error is raised.',
      example:
        'local results, errors = sdk.parallel{\n  { sdk.pets.get_pet, { id = 1 } },\n  { sdk.pets.get_pet, { id = 2 } },\n}\nreturn { results[1].id, results[2].id, errors == nil }',
      returns: '[1,2,true]',
    },
    {
      signature: 'sdk.pages(f, args?, options?) → iterator',
      summary: 'Iterates over all pages of a listing: the page and its number.',
      details:
        'It follows `Link` headers, page numbers, offsets and cursors. Every page counts as a call.',
      example:
        'local count = 0\nfor page in sdk.pages(sdk.pets.list_pets) do\n  count = count + #page\nend\nreturn count',
      returns: '3',
    },
  ],
})
