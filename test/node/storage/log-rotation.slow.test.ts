/** Logs that are rotated while others append to them, in the stores that only Node meets. */
import { folderStorage } from '../../../src/storage/folder/folder.ts'
import { retrying } from '../../../src/storage/retrying.ts'
import { s3Storage } from '../../../src/storage/s3/s3.ts'
import { describeLogRotation } from '../../contract/log-rotation.ts'
import { sharedS3 } from '../../support/local-s3.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const s3 = await sharedS3()
describeLogRotation('S3', async () => retrying(s3Storage(s3.settings)))
describeLogRotation('a folder', async () => folderStorage(tempFolder()))
