/** What a run lends to the functions that its script calls. */
import type { MemoryRoom } from '../../files/memory-room.ts'
import type { PathRules, VirtualPath } from '../../files/path.ts'
import type { VirtualFiles } from '../../files/virtual-files.ts'
import type { RunLimits } from '../../limits.ts'
import type { FuelTank } from '../fuel-tank.ts'
import type { LogLines } from '../system/log-lines.ts'
import type { LuaExports } from '../lua-exports.ts'
import type { ScriptApis } from './script-apis.ts'
import type { LuaMemory } from '../strings.ts'
import type { WriteBudget } from '../system/write-budget.ts'

/** Which ways of reaching files a script has; with neither, `io` and `file` are not there. */
export interface FileAccess {
  readonly canRead: boolean
  readonly canWrite: boolean
  readonly paths?: PathRules | undefined
}

/** What the functions of the library work with. */
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
  /** Absent where none are configured. */
  readonly apis?: ScriptApis | undefined
  /** Told of a limit that is raised by other means than a {@link LimitReached}. */
  noteLimit(message: string): void
  /** What `file.save` returns: a link, or the name for a caller who may not read. */
  linkTo(path: VirtualPath): Promise<string> | string
}
