/** `/docs/lua`: what scripts can use, and a page for each function. */
import {
  LUA_ABSENT,
  LUA_LIBRARIES,
  type LuaFunction,
  type LuaLibrary,
} from '../../../../src/lua-reference/lua-functions.ts'
import type { Contents, DocsPage } from './frame.ts'
import { answerBlock, codeBlock, escapeHtml, heading, inline, table } from './html.ts'
import { shownJson } from './shown-json.ts'

/** Beyond single functions. */
const DIFFERENCES = [
  'What a script returns first becomes the result, as JSON: integral floats become integers, integers beyond 2^53 texts, a table with the keys 1 to n an array, any other an object. What has no JSON, such as a function, becomes `null`, and a line of the log says so.',
  'A script may wait for the store or an API anywhere, also inside `pcall`, coroutines, callbacks of `table.sort` and `gsub`, and metamethods, and does not notice.',
  '`__le` is not derived from `__lt`; the stack holds 340,000 slots; finalizers do not run when a script ends.',
]

/** Where the page of a function is. */
function luaPath({ name }: LuaFunction): string {
  return `/docs/lua/${name.replace(':', '.')}`
}

export function luaPages(): DocsPage[] {
  return [
    indexPage(),
    ...LUA_LIBRARIES.flatMap((library) =>
      library.functions.map((entry) => functionPage(entry, library)),
    ),
  ]
}

function indexPage(): DocsPage {
  return {
    path: '/docs/lua',
    title: 'Lua',
    description: 'Every function that a script can use, and what differs from stock Lua 5.4.',
    contents: [
      {
        title: 'Libraries',
        links: [
          ...LUA_LIBRARIES.map(({ name, title }) => ({ href: `/docs/lua#${name}`, text: title })),
          { href: '/docs/lua#absent', text: 'Absent' },
          { href: '/docs/lua#differences', text: 'Differences' },
        ],
      },
    ],
    main: `<h1>Lua</h1>
<p>${inline('Scripts are Lua 5.4, run by Lua’s own C implementation compiled to WebAssembly. The libraries are the standard ones; their files are the caller’s, and their output is the log of the run. `json`, `file`, `sdk`, `io.list` and `args` are added.')}</p>
${LUA_LIBRARIES.map(librarySection).join('\n')}
${heading(2, 'Absent')}
<p>${inline('What stock Lua has and scripts do not is `nil`.')}</p>
${table(
  'Absent functions',
  ['Name', 'Why, and what to use'],
  LUA_ABSENT.map(({ name, instead }) => [`<code>${name}</code>`, inline(instead)]),
)}
${heading(2, 'Differences')}
<ul>${DIFFERENCES.map((text) => `<li>${inline(text)}</li>`).join('\n')}</ul>`,
  }
}

function librarySection({ name, title, summary, functions }: LuaLibrary): string {
  const rows = functions.map((entry) => [
    `<a href="${luaPath(entry)}"><code>${escapeHtml(entry.name)}</code></a>`,
    inline(entry.summary),
  ])
  const shown = name === 'base' ? title : `${title}: \`${name}\``
  return `${heading(2, shown, name)}
<p>${inline(summary)}</p>
${table(title, ['Name', 'What it does'], rows)}`
}

function functionPage(entry: LuaFunction, library: LuaLibrary): DocsPage {
  const { name, signature, summary, details, differs, example } = entry
  return {
    path: luaPath(entry),
    title: name,
    description: summary.replaceAll('`', ''),
    contents: [contentsOf(library)],
    main: `<p class="crumbs"><a href="/docs/lua">Lua</a> / <a href="/docs/lua#${library.name}">${library.title}</a></p>
<h1><code>${escapeHtml(name)}</code></h1>
<p class="signature"><code>${escapeHtml(signature)}</code></p>
<p class="lead">${inline(summary)}</p>
${details ? `<p>${inline(details)}</p>` : ''}
${example ? exampleOf(entry, example) : ''}
<h2 id="differs">Compared with stock Lua</h2>
<p>${differs ? inline(differs) : 'The same as in stock Lua 5.4.'}</p>`,
  }
}

function contentsOf({ title, functions }: LuaLibrary): Contents {
  return { title, links: functions.map((entry) => ({ href: luaPath(entry), text: entry.name })) }
}

function exampleOf({ name, returns, prints }: LuaFunction, example: string): string {
  return `<h2 id="example">Example</h2>
${codeBlock(example, 'lua', `Example of ${name}`)}
${returns ? `<p>The result is:</p>\n${answerBlock(shownJson(returns), 'json', 'Result of the example')}` : ''}
${prints ? `<p>The log has:</p>\n${answerBlock(prints.join('\n'), 'text', 'Log of the example')}` : ''}`
}
