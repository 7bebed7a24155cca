/** The page shown when a link does not open, or at an address that does not exist. */
import { escapeHtml } from '../../lib/html.ts'
import { pageFrame } from './page-frame.ts'

const STYLE = `
main { max-width: 36rem; padding-top: 15vh }`

/** A complete page without scripts or external resources; escapes both texts. */
export function errorPage(title: string, message: string): string {
  const [heading, sentence] = [escapeHtml(title), escapeHtml(message)]
  return pageFrame({
    title: heading,
    main: `<h1>${heading}</h1>
<p>${sentence}</p>
<p><a href="/">Start page</a> · <a href="/docs">Documentation</a></p>`,
    style: STYLE,
  })
}
