/**
 * The functions of the host that Lua code can reach, shared by the build, which makes a C function
 * of each, and by the library, which implements them. A function's position is its opcode.
 */

export interface HostFunction {
  /** As Lua knows it; names without a dot are globals, those in brackets cannot be reached. */
  readonly name: string
  /** The stock C function whose place it takes. */
  readonly replaces?: string
  /** Whether the stock function runs afterwards: then ours only checks or completes the arguments. */
  readonly thenStock?: boolean
  /** Whether it first waits, by an import that may suspend the script. If that answers 0, the call follows. */
  readonly waits?: boolean
  /** Whether it needs a free handle: then handles that are garbage are closed first. */
  readonly opensFile?: boolean
}

export const HOST_FUNCTIONS = [
  { name: 'io.open', replaces: 'io_open', thenStock: true, opensFile: true },
  { name: 'io.lines', replaces: 'io_lines', thenStock: true, opensFile: true },
  { name: 'io.list', waits: true },
  { name: 'os.remove', replaces: 'os_remove', waits: true, thenStock: true },
  { name: 'os.rename', replaces: 'os_rename', waits: true, thenStock: true },
  { name: 'os.tmpname', replaces: 'os_tmpname' },
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
  { name: 'math.randomseed', replaces: 'math_randomseed', thenStock: true },
  { name: 'collectgarbage', replaces: 'luaB_collectgarbage', thenStock: true },
  { name: '[has free handle]' },
  { name: '[null to string]' },
  { name: '[set up]' },
  { name: '[take result]', waits: true },
  { name: '[trace back]' },
  { name: '[describe error]' },
] as const satisfies readonly HostFunction[]

export type HostFunctionName = (typeof HOST_FUNCTIONS)[number]['name']

/** What a host function answers instead of a count of results; the message is on the stack. */
export const RAISE = -1

/** Answer of a host function for which the VM's heap is too small: Lua raises its own error. */
export const OUT_OF_MEMORY = -1000

/** Answer of a host function whose argument `index` is wrong; the message is on the stack. */
export function badArgument(index: number): number {
  return RAISE - index
}
