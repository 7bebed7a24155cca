/** Sizes of a VM's linear memory, shared by the build and the host. */

export const PAGE_BYTES = 65_536

/** 64 MiB, the most any run may be given. */
export const MEMORY_MAX_PAGES = 1024
