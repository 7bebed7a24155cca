/**
 * Host functions that Lua can call, shared by the build, which makes a C function of each, and the
 * library, which implements them. The position is the opcode.
 */

export interface HostFunction {
  /** The Lua name; without a dot it is a global, in brackets it is unreachable. */
  readonly name: string
  /** The stock C function it replaces. */
  readonly replaces?: string
  /**
   * Whether the stock function runs afterwards, unless this one has results: it checks or completes
   * the arguments.
   */
  readonly thenStock?: boolean
  /** Whether it waits first, by an import that may suspend the script; 0 lets the call follow. */
  readonly waits?: boolean
  /** Whether it needs a free handle: then garbage handles are closed first. */
  readonly opensFile?: boolean
}

export const HOST_FUNCTIONS = [
  { name: 'io.open', replaces: 'io_open', thenStock: true, opensFile: true },
  { name: 'io.lines', replaces: 'io_lines', thenStock: true, opensFile: true },
  { name: 'io.list', waits: true },
  { name: 'os.remove', replaces: 'os_remove', waits: true, thenStock: true },
  { name: 'os.rename', replaces: 'os_rename', waits: true, thenStock: true },
  { name: 'os.tmpname', replaces: 'os_tmpname' },
  { name: 'os.exit', replaces: 'os_exit' },
  { name: 'os.setlocale', replaces: 'os_setlocale' },
  { name: 'file.save', waits: true, opensFile: true },
  { name: 'json.encode' },
  { name: 'json.decode' },
  { name: 'json.array' },
  { name: 'sdk.search', waits: true },
  { name: 'sdk.help', waits: true },
  { name: '[sdk find]' },
  { name: '[sdk prepare]' },
  { name: '[sdk run]', waits: true },
  { name: '[sdk take]' },
  { name: '[format open]', waits: true, opensFile: true },
  { name: '[format next]', waits: true },
  { name: '[format close]', waits: true },
  { name: '[csv read]' },
  { name: '[csv line]' },
  { name: 'codec.base64_encode' },
  { name: 'codec.base64_decode' },
  { name: 'codec.hex_encode' },
  { name: 'codec.hex_decode' },
  { name: 'codec.url_encode' },
  { name: 'codec.url_decode' },
  { name: 'codec.crc32' },
  { name: 'codec.sha256', waits: true },
  { name: 'codec.hmac_sha256', waits: true },
  { name: 'math.randomseed', replaces: 'math_randomseed', thenStock: true },
  { name: 'collectgarbage', replaces: 'luaB_collectgarbage', thenStock: true },
  { name: '[has free handle]' },
  { name: '[null to string]' },
  { name: '[json part]' },
  { name: '[set up]' },
  { name: '[take result]', waits: true },
  { name: '[trace back]' },
  { name: '[describe error]' },
] as const satisfies readonly HostFunction[]

export type HostFunctionName = (typeof HOST_FUNCTIONS)[number]['name']

/** Returned instead of a result count; the message is on the stack. */
export const RAISE = -1

/** Returned when the VM's heap is full: Lua raises its own error. */
export const OUT_OF_MEMORY = -1000

/** Returned when argument `index` is wrong; the message is on the stack. */
export function badArgument(index: number): number {
  return RAISE - index
}
