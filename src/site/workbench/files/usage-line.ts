/** One line about what the tenant has used of its quotas; empty without any. */
import { el } from '../page/dom.ts'
import { formatBytes } from '../page/format.ts'
import type { Client, Usage } from '../service/client.ts'

export function usageLine(client: Client) {
  const element = el('p', { class: 'usage-line', hidden: true })

  /** Never rejects: the files are there without it. */
  async function refresh(): Promise<void> {
    const text = await client.usage().then(inWords, () => '')
    element.textContent = text
    element.hidden = text === ''
  }

  return { element, refresh }
}

function inWords({ stored_bytes, stored_files, runs_today, api_bytes_today }: Usage): string {
  const plain = (count: number) => count.toLocaleString('en-US')
  const of = (part: Usage['stored_bytes'], format: (count: number) => string, what: string) =>
    part ? [`${format(part.used)} of ${format(part.allowed)}${what}`] : []
  const parts = [
    ...of(stored_bytes, formatBytes, ''),
    ...of(stored_files, plain, ' files'),
    ...of(runs_today, plain, ' runs today'),
    ...of(api_bytes_today, formatBytes, ' from APIs today'),
  ]
  return parts.length > 0 ? `Used by the whole team: ${parts.join(', ')}.` : ''
}
