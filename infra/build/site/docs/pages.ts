/** All pages of the documentation. */
import type { RecordedAnswers } from '../api/record-answers.ts'
import { apiPage } from './api-page.ts'
import { clientsPage } from './clients-page.ts'
import { errorsPage } from './errors-page.ts'
import type { DocsPage } from './frame.ts'
import { guidePages } from './guide-pages.ts'
import { luaPages } from './lua-pages.ts'
import { overviewPage } from './overview-page.ts'

/** @param answers Recorded responses of the examples. */
export function docsPages(answers: RecordedAnswers): DocsPage[] {
  return [
    overviewPage(answers),
    apiPage(answers),
    ...luaPages(),
    clientsPage(),
    errorsPage(),
    ...guidePages(),
  ]
}
