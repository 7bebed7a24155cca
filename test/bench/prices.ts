/** Public list prices in dollars, beyond what plans include. */

export const PRICES_READ = 'November 2026'

export const WORKERS = {
  perMillionRequests: 0.3,
  perMillionCpuMs: 0.02,
  /** Dynamic Workers: per distinct script and day. */
  perLoadedWorker: 0.002,
}

/** x86. */
export const LAMBDA = {
  perMillionRequests: 0.2,
  perGibibyteSecond: 0.000_016_666_7,
}
