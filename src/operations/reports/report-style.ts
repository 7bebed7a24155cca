/** The stylesheet of reports saved as HTML fragments. */

/** Styles elements only: class names belong to the fragment. */
export const pageStyle = `
:root { color-scheme: light dark }
body { max-width: 48rem; margin: 0 auto; padding: 2rem 1.25rem 3rem; font: 1rem/1.6 system-ui,
  -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; overflow-wrap: break-word }
h1, h2, h3, h4 { line-height: 1.3 }
img, svg, video { max-width: 100%; height: auto }
table { border-collapse: collapse }
th, td { padding: .4rem .75rem; border: 1px solid color-mix(in srgb, currentColor 25%, transparent);
  text-align: start }
pre { padding: .875rem 1rem; overflow: auto; border-radius: 6px;
  background: color-mix(in srgb, currentColor 7%, transparent) }
code { font-size: .875em; font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace }`
