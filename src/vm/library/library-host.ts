/** What library functions can use of a run. */
import type { MemoryRoom } from '../../files/content/memory-room.ts'
import type { PathRules, VirtualPath } from '../../files/path.ts'
import type { VirtualFiles } from '../../files/run/virtual-files.ts'
import type { RunLimits } from '../../limits.ts'
import type { FuelTank } from '../limits/fuel-tank.ts'
import type { LogLines } from '../system/log-lines.ts'
import type { LuaExports } from '../lua-exports.ts'
import type { ScriptApis } from './script-apis.ts'
import type { LuaMemory } from '../strings.ts'
import type { WriteBudget } from '../system/write-budget.ts'

/** Without either, `io` and `file` do not exist. */
export interface FileAccess {
  readonly canRead: boolean
  readonly canWrite: boolean
  readonly paths?: PathRules | undefined
}

export interface LibraryHost {
  readonly lua: LuaExports
  readonly memory: LuaMemory
  readonly files: VirtualFiles
  readonly access: FileAccess
  readonly limits: RunLimits
  readonly budget: WriteBudget
  readonly room: MemoryRoom
  readonly fuel: FuelTank
  readonly logs: LogLines
  /** Absent if no API is configured. */
  readonly apis?: ScriptApis | undefined
  /** Reports limits raised by other means than {@link LimitReached}. */
  noteLimit(message: string): void
  /** `file.save`'s result: a link, or the name if the caller may not read. */
  linkTo(path: VirtualPath): Promise<string> | string
}
