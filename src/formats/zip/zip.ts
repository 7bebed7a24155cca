/** The global `zip`: archives of files of the run. */
import { FormatError, type FormatFunctions } from '../format-host.ts'
import { charged, FUEL_TO_COMPRESS } from '../gzip.ts'
import { piecesOf, saveFile, withSource } from '../save-file.ts'
import { extractZip } from './extract-zip.ts'
import { readZipDirectory } from './zip-directory.ts'
import { textOfDosTime } from './zip-records.ts'
import { ZipWriter } from './zip-writer.ts'

/** Fuel for the streams of a file. */
const FUEL_PER_FILE = 150_000

export const functions: FormatFunctions = {
  async create(host, path, names) {
    const own = host.checkSave(path as string)
    const paths = new Set<string>()
    for (const name of namesIn(names)) {
      for (const found of await host.listFiles(name)) if (found !== own) paths.add(found)
    }
    const saved = await saveFile(host, own, async (output) => {
      const archive = new ZipWriter((bytes) => output.write(bytes))
      for (const name of paths) {
        await host.work(FUEL_PER_FILE)
        await withSource(host, name, (source) =>
          archive.add({
            name,
            bytes: source.size,
            modifiedAt: host.now(),
            pieces: charged(host, piecesOf(source), FUEL_TO_COMPRESS),
          }),
        )
      }
      await archive.finish()
    })
    return { value: { ...saved, files: paths.size } }
  },

  async list(host, path) {
    const entries = await withSource(host, path as string, readZipDirectory)
    const value = entries.map(({ name, bytes, packedBytes, date, time }) => ({
      name,
      bytes,
      compressed_bytes: packedBytes,
      modified: textOfDosTime(date, time),
    }))
    return { value }
  },

  async extract(host, path, folder) {
    const files = await withSource(host, path as string, (source) =>
      extractZip(host, source, folder as string),
    )
    return { value: files }
  },
}

function namesIn(names: unknown): string[] {
  const isList = Array.isArray(names) && names.every((name) => typeof name === 'string')
  if (!isList || names.length === 0) {
    throw new FormatError('zip.create needs a list of names of files and folders')
  }
  return names
}
