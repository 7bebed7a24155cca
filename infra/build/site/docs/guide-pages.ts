/** Guide pages: one for each Markdown file in `docs`. */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { parseBlocks } from '../../../../src/http/pages/markdown/blocks.ts'
import type { TextBlock } from '../../../../src/http/pages/markdown/tree.ts'
import type { DocsPage } from './frame.ts'
import { guideFiles } from './guide-files.ts'
import { GuideWriter, plainText } from './guide-writer.ts'
import { anchorOf } from './html.ts'

export function guidePages(): DocsPage[] {
  return guideFiles().map(guidePage)
}

function guidePage(file: string): DocsPage {
  const path = `/docs/${basename(file, '.md')}`
  const blocks = parseBlocks(withSitePaths(readFileSync(file, 'utf8'))).root.children
  const headings = blocks.filter((block): block is TextBlock => block.type === 'heading')
  const introduction = blocks[1]
  if (headings[0]?.level !== 1 || introduction?.type !== 'paragraph') {
    throw new Error(`${file} must begin with a title and a paragraph`)
  }
  const sections = headings.filter(({ level }) => level === 2)
  return {
    path,
    title: headings[0].text,
    description: plainText(introduction.text),
    contents: [
      {
        title: 'On this page',
        links: sections.map(({ text }) => ({ href: `${path}#${anchorOf(text)}`, text })),
      },
    ],
    main: new GuideWriter().write(blocks),
  }
}

/** The renderer drops relative links, so links to other guides are passed as fragments. */
function withSitePaths(source: string): string {
  return source.replaceAll(/\]\(([\w-]+)\.md(#[\w-]+)?\)/g, '](#/docs/$1$2)')
}
