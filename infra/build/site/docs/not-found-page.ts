/** Stands for a page that does not exist below `/docs`. */
import type { DocsPage } from './frame.ts'

export function notFoundPage(): DocsPage {
  return {
    path: '',
    title: 'Page not found',
    description: 'There is no such page.',
    main: `<h1>Page not found</h1>
<p>There is no page of the documentation at this address. It may have been renamed.</p>
<p><a href="/docs">Go to the overview</a>, which lists all pages, or choose one from the navigation.</p>
<div data-suggest></div>`,
  }
}
