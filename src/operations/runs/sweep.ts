/** Deletes what is left behind in the store: old runs, marks and tombstones. */
import type { Service } from '../service.ts'

/** Scheduled by the entry. Never rejects. */
export async function sweep(_service: Service, _signal?: AbortSignal): Promise<void> {}
