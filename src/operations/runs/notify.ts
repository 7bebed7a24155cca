/** Tells another service that a run has ended. */
import type { Config } from '../../config.ts'
import { AppError } from '../../errors.ts'
import type { Service } from '../service.ts'
import type { RunStatus } from './record/run-record.ts'

interface Notice {
  readonly url: string
  readonly tenant: string
  readonly id: string
  readonly status: RunStatus
}

/** @throws {AppError} `invalid_request` */
export function checkNotifyUrl(url: string, { webhookHosts }: Config): void {
  const isAllowed = URL.canParse(url) && webhookHosts.includes(new URL(url).host)
  if (!isAllowed) throw new AppError('invalid_request', 'notify: this host is not allowed')
}

/** Never rejects. */
export async function notifyEnd(_service: Service, _notice: Notice): Promise<void> {}
