/** `npm run test:documents`: our documents in other programs, and theirs in ours. */
import { readOptions, run } from '../../infra/command-line.ts'
import { callCommand } from '../support/call-command.ts'
import { installPrograms } from '../support/debian-packages.ts'

const HELP = `Compares with LibreOffice, Chromium and pdftotext.

Installs Debian's LibreOffice without its windows and poppler-utils if they are missing (as root).`

await run('test:documents', async () => {
  readOptions(HELP, {})
  installPrograms({
    programs: ['soffice', 'pdftotext'],
    packages: [
      'libreoffice-calc-nogui',
      'libreoffice-impress-nogui',
      'libreoffice-writer-nogui',
      'poppler-utils',
    ],
    reason: 'about 150 MB with what they need:\ndocuments are to be compared with other programs.',
  })
  const args = ['run', '--mode', 'all', '--config', 'test/documents/vitest.config.ts']
  process.exit(await callCommand('vitest', args, {}))
})
