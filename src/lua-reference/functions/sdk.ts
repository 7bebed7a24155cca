/** `sdk`: the APIs that an installation offers to scripts. Examples call the demo, `sdk.shop`. */
import { library } from '../lua-function.ts'

export const SDK = library({
  name: 'sdk',
  title: 'APIs',
  summary:
    'The APIs that this installation offers, as `sdk.<api>.<function>{ param = … }`: they return decoded data, and a failure raises a table with `status`, `code` and `message`. With `{ save_to = "output/x.json" }` as a second argument, the response streams into a file instead; with `rows = "data.items"` too, the elements of that array, one per line, or as CSV if the name ends in `.csv`. The examples call the demo API that `npm run dev` and the command bring, `sdk.shop`.',
  differs: 'Stock Lua has no network at all; scripts reach the configured APIs and nothing else.',
  functions: [
    {
      signature: 'sdk.search(question) → list',
      summary: 'Finds functions of the configured APIs by what they do, best first.',
      details: 'Each entry has `name`, `signature` and `summary`.',
      example: 'return sdk.search("list all customers")[1].name',
      returns: '"shop.list_customers"',
    },
    {
      signature: 'sdk.help(name?) → string',
      summary: 'Describes an API, a function or a type; without a name, lists the APIs.',
      example: 'return sdk.help()',
      returns: '"shop: Shop (6 functions)"',
    },
    {
      signature: 'sdk.parallel{ { f, args, options }, … } → results, errors',
      summary: 'Makes several calls at once and waits for all of them.',
      details:
        'Results are at the index of their call. If any call failed, a second table has the errors at their indices; no error is raised.',
      example:
        'local results, errors = sdk.parallel{\n  { sdk.shop.get_order, { id = 1 } },\n  { sdk.shop.get_order, { id = 2 } },\n}\nreturn { results[1].id, results[2].id, errors == nil }',
      returns: '[1,2,true]',
    },
    {
      signature: 'sdk.pages(f, args?, options?) → iterator',
      summary: 'Iterates over all pages of a listing: the page and its number.',
      details:
        'It follows `Link` headers, page numbers, offsets and cursors. Every page counts as a call.',
      example:
        'local count = 0\nfor page in sdk.pages(sdk.shop.list_customers) do\n  count = count + #page\nend\nreturn count',
      returns: '400',
    },
    {
      signature: 'sdk.dump(f, args?, options) → table',
      summary: 'Stores all pages of a listing as one file: lines of JSON, or CSV.',
      details:
        'Options: `save_to`; `rows`, the array of a page as in `"data.items"`, if a page has several; `columns` for CSV, which a name with `.csv` makes too; `next`. Returns `path`, `bytes`, `rows` and `pages`. If it stops early, `stopped` is `"time"`, `"limit"` or `"error"`, and a later dump goes on with `next` into another file.',
      example:
        'local dump = sdk.dump(sdk.shop.list_customers, {}, { save_to = "output/customers.csv" })\nreturn { dump.rows, dump.pages }',
      returns: '[400,8]',
    },
    {
      signature: 'sdk.download(url, options) → table',
      summary: 'Saves a URL that an API returned, from the hosts that the operator allows.',
      details:
        'Options: `save_to`, and `rows` as for `sdk.dump`. Returns `path`, `bytes`, `status` and `content_type`. No credential is sent.',
      example:
        'local url = "https://files.example.com/orders.csv"\nlocal ok, problem = pcall(sdk.download, url, { save_to = "orders.csv" })\nreturn ok or problem.message',
      returns: 'true',
    },
  ],
})
