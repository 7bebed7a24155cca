/** Public list prices beyond what a plan includes, in dollars, as read in November 2026. */

export const PRICES_READ = 'November 2026'

export const WORKERS = {
  perMillionRequests: 0.3,
  perMillionCpuMs: 0.02,
  /** Dynamic Workers: for each distinct script and day. */
  perLoadedWorker: 0.002,
}

/** x86 */
export const LAMBDA = {
  perMillionRequests: 0.2,
  perGibibyteSecond: 0.000_016_666_7,
}
