/** `/docs/limits` and `/docs/settings`: numbers from the code, words from the README. */
import {
  DEFAULT_LIMITS,
  FUEL_PER_SECOND,
  MAX_EXECUTE_BODY_BYTES,
  MAX_FS_BODY_BYTES,
  STORING_GRACE_MS,
} from '../../../../src/limits.ts'
import type { DocsPage } from './frame.ts'
import { escapeHtml, heading, inline, table } from './html.ts'
import { readmeTable } from './readme.ts'

/** What a caller may lower, by the limit it lowers. */
const LOWERED: Readonly<Record<string, string>> = {
  fuel: 'fuel',
  memoryBytes: 'memory_bytes',
  runMs: 'timeout_ms',
  writeBytes: 'write_bytes',
  apiCalls: 'api_calls',
}

const loweredBy = (name: string) => {
  const field = LOWERED[name]
  return field === undefined ? '' : `. A request lowers it with \`limits.${field}\`.`
}

/** The README's cells begin small. */
const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const number = (value: number) => value.toLocaleString('en')

export function limitsPage(): DocsPage {
  const meanings = new Map(readmeTable('Limits').map(([name, , meaning]) => [name, meaning!]))
  const rows = Object.entries(DEFAULT_LIMITS).map(([name, value]: [string, number]) => [
    `<code>${name}</code>`,
    number(value),
    inline(`${sentence(meanings.get(`\`${name}\``) ?? '')}${loweredBy(name)}`),
  ])
  const seconds = Math.round(DEFAULT_LIMITS.fuel / FUEL_PER_SECOND)
  return {
    path: '/docs/limits',
    title: 'Limits',
    description: 'What one run may use, and what happens at each limit.',
    main: `<h1>Limits</h1>
<p>${inline('These are the defaults; whoever runs the service may have set others. A request can lower some of them for its run, never raise them.')}</p>
${table('Limits of a run', ['Limit', 'Default', 'At the limit'], rows)}
${heading(2, 'Fuel')}
<p>${inline(`Fuel is counted inside the VM, because clocks stand still on Workers while code computes. The default is about ${seconds} seconds of computing. \`os.clock\` shows it, and the header \`X-Fuel-Used\` says what a run took.`)}</p>
${heading(2, 'Requests')}
<p>${inline(`The body of \`/execute\` may have ${number(MAX_EXECUTE_BODY_BYTES)} bytes, that of \`/fs\` and \`/mcp\` ${number(MAX_FS_BODY_BYTES)}; \`PUT /fs/content\` and uploads are streamed. What was closed before a deadline has ${number(STORING_GRACE_MS / 1000)} seconds more to be stored.`)}</p>`,
  }
}

export function settingsPage(): DocsPage {
  const rows = readmeTable('Settings').map(([names = '', fallback = '', meaning = '']) => [
    inline(names.replaceAll('`, `', '` `')),
    inline(fallback),
    inline(sentence(meaning)),
  ])
  return {
    path: '/docs/settings',
    title: 'Settings',
    description: 'The variables of the environment that configure the service.',
    main: `<h1>Settings</h1>
<p>${escapeHtml('For those who run the service: variables of the environment, or vars and secrets of a Worker. A wrong one stops the start with a line that names it.')}</p>
${table('Settings', ['Variable', 'Default', 'Meaning'], rows)}`,
  }
}
