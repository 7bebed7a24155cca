/** Writes the page at `/` and what it loads. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Makes `index.html` and `assets/*` in a folder that exists. */
export async function buildWorkbench(folder: string): Promise<void> {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Moonbucket</title>
</head>
<body>
<main>
<h1>Moonbucket</h1>
<p>Runs Lua scripts and keeps their files in your own bucket. <a href="/docs">Documentation</a></p>
</main>
</body>
</html>
`
  writeFileSync(join(folder, 'index.html'), html)
}
