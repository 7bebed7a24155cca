/** `/docs/lua`: the functions scripts can use, with a page for each. */
import {
  LUA_ABSENT,
  LUA_LIBRARIES,
  type LuaFunction,
  type LuaLibrary,
} from '../../../../src/lua-reference/lua-functions.ts'
import type { Contents, DocsPage } from './frame.ts'
import { answerBlock, codeBlock, escapeHtml, heading, inline, table, shownJson } from './html.ts'

/** Differences from stock Lua that belong to no single function. */
const DIFFERENCES = [
  'The first value that a script returns becomes the result, as JSON: integral floats become integers, integers beyond 2^53 become strings, a table with the keys 1 to n becomes an array, and any other table an object. A value without JSON, such as a function, becomes `null`, and a log line says so.',
  'Calls to the store or an API block the script and nothing else. They work anywhere: inside `pcall`, in coroutines, in callbacks of `table.sort` and `gsub`, and in metamethods.',
  '`__le` is not derived from `__lt`; the stack has 340,000 slots; finalizers do not run when a script ends.',
]

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
    title: 'Lua reference',
    description: 'Every function that a script can use, and how it differs from stock Lua 5.4.',
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
    main: `<h1>Lua reference</h1>
<p>${inline('Scripts are Lua 5.4, run by Lua’s own C implementation compiled to WebAssembly. The libraries are the standard ones: files are the caller’s, and output goes to the logs of the run. `json`, `file`, `sdk`, `io.list` and `args` are additions.')}</p>
${LUA_LIBRARIES.map(librarySection).join('\n')}
${heading(2, 'Absent')}
<p>${inline('These names of stock Lua are `nil` in scripts.')}</p>
${table(
  'Absent functions',
  ['Name', 'Reason and alternative'],
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
${returns ? `<p>Result:</p>\n${answerBlock(shownJson(returns), 'json', 'Result of the example')}` : ''}
${prints ? `<p>Logs:</p>\n${answerBlock(prints.join('\n'), 'text', 'Log of the example')}` : ''}`
}
