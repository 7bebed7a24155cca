/** Builds the site in an empty folder. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildLua } from '../lua/build.ts'
import { recordAnswers } from './api/record-answers.ts'
import { buildDocs } from './docs/build-docs.ts'
import { openApiDocument } from './openapi/document.ts'
import { buildWorkbench } from './build-workbench.ts'

export async function makeSite(folder: string): Promise<void> {
  // Recording runs the examples.
  await buildLua()
  const answers = await recordAnswers()
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(openApiDocument(answers)))
  await buildDocs(folder, answers)
  await buildWorkbench(folder)
}
