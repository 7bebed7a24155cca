/** What a person sees when a link does not open. */

const STYLE = `
:root { color-scheme: light dark }
body { max-width: 36rem; margin: 15vh auto; padding: 0 1.25rem; font: 1rem/1.5 system-ui, sans-serif }
h1 { font-size: 1.375rem; line-height: 1.25 }
p { overflow-wrap: anywhere }`

/** A whole page, with nothing to load or run; both texts are escaped. */
export function errorPage(title: string, message: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${STYLE}
</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(message)}</p>
</main>
</body>
</html>
`
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
