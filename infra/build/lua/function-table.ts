/** Lists the functions that may be called by pointer; every other stock table slot traps. */
import { expectCount, type Wat } from './wat.ts'

/** Wasmoon's table from slot 1 on, with the names from the sources of Lua and musl. */
const STOCK_TABLE = words(`
  f_call getF getS l_alloc panic warnfoff warnfon warnfcont boxgc dofilecont ipairsaux
  generic_reader luaB_next pairscont finishpcall luaB_assert luaB_collectgarbage luaB_dofile
  luaB_error luaB_getmetatable luaB_ipairs luaB_loadfile luaB_load luaB_pairs luaB_pcall luaB_print
  luaB_warn luaB_rawequal luaB_rawlen luaB_rawget luaB_rawset luaB_select luaB_setmetatable
  luaB_tonumber luaB_tostring luaB_type luaB_xpcall auxwrap luaB_cocreate luaB_coresume
  luaB_corunning luaB_costatus luaB_cowrap luaB_yield luaB_yieldable luaB_close hookf db_debug
  db_getuservalue db_gethook db_getinfo db_getlocal db_getregistry db_getmetatable db_getupvalue
  db_upvaluejoin db_upvalueid db_setuservalue db_sethook db_setlocal db_setmetatable db_setupvalue
  db_traceback db_setcstacklimit resume unroll closepaux f_parser dothecall luaopen_base
  luaopen_package luaopen_coroutine luaopen_table luaopen_io luaopen_os luaopen_string luaopen_math
  luaopen_utf8 luaopen_debug io_noclose io_fclose io_readline io_pclose io_close io_flush io_input
  io_lines io_open io_output io_popen io_read io_tmpfile io_type io_write f_gc f_tostring f_read
  f_write f_lines f_flush f_seek f_close f_setvbuf math_abs math_acos math_asin math_atan math_ceil
  math_cos math_deg math_exp math_toint math_floor math_fmod math_ult math_log math_max math_min
  math_modf math_rad math_sin math_sqrt math_tan math_type math_random math_randomseed gctm
  searcher_preload searcher_Lua searcher_C searcher_Croot ll_loadlib ll_searchpath ll_require
  os_clock os_date os_difftime os_execute os_exit os_getenv os_remove os_rename os_setlocale os_time
  os_tmpname lua_newstate f_luaopen writer gmatch_aux str_byte str_char str_dump str_find str_format
  gmatch str_gsub str_len str_lower str_match str_rep str_reverse str_sub str_upper str_pack
  str_packsize str_unpack arith_add arith_sub arith_mul arith_mod arith_pow arith_div arith_idiv
  arith_unm tconcat tinsert tpack tunpack tremove tmove sort iter_auxstrict iter_auxlax byteoffset
  codepoint utfchar utflen iter_codes __stdio_seek __stdio_write __stdio_read __stdio_close
  __emscripten_stdout_close __emscripten_stdout_seek fmt_fp pop_arg_long_double sn_write`)

interface Group {
  readonly reason: string
  readonly functions: readonly string[]
}

/**
 * A memory bug in Lua may let a script forge a C function and call any slot, whatever its globals
 * are: `luaopen_debug` would give it the registry. So every kept slot needs a reason. A host
 * function that replaces a stock one uses its slot.
 */
const NEEDED: readonly Group[] = [
  {
    reason: 'bodies of protected calls: luaD_rawrunprotected calls them by pointer',
    functions: words('f_call resume unroll closepaux f_parser dothecall'),
  },
  {
    reason: 'the state itself refers to its allocator, its panic and its warning functions',
    functions: words('l_alloc panic warnfoff warnfon warnfcont'),
  },
  { reason: 'readers of source text', functions: words('getS generic_reader') },
  { reason: 'continuations after a yield', functions: words('pairscont finishpcall') },
  {
    reason: 'iterators, wrapped coroutines, finalizers: what library functions make',
    functions: words('boxgc ipairsaux auxwrap io_readline gmatch_aux iter_auxstrict iter_auxlax'),
  },
  {
    reason: 'the base library without dofile and loadfile',
    functions: words(`
      luaB_assert luaB_collectgarbage luaB_error luaB_getmetatable luaB_ipairs luaB_load luaB_next
      luaB_pairs luaB_pcall luaB_print luaB_warn luaB_rawequal luaB_rawlen luaB_rawget luaB_rawset
      luaB_select luaB_setmetatable luaB_tonumber luaB_tostring luaB_type luaB_xpcall`),
  },
  {
    reason: 'coroutine',
    functions: words(`
      luaB_cocreate luaB_coresume luaB_corunning luaB_costatus luaB_cowrap luaB_yield luaB_yieldable
      luaB_close`),
  },
  {
    reason: 'io without popen, tmpfile, read, input and output',
    functions: words('io_close io_flush io_lines io_open io_type io_write'),
  },
  {
    reason: 'methods of file handles, and how a handle closes its file',
    functions: words(`
      f_gc f_tostring f_read f_write f_lines f_flush f_seek f_close f_setvbuf io_noclose io_fclose`),
  },
  {
    reason: 'math',
    functions: words(`
      math_abs math_acos math_asin math_atan math_ceil math_cos math_deg math_exp math_toint
      math_floor math_fmod math_ult math_log math_max math_min math_modf math_rad math_sin math_sqrt
      math_tan math_type math_random math_randomseed`),
  },
  {
    reason: 'os without execute; the host has its own exit and setlocale',
    functions: words(`
      os_clock os_date os_difftime os_exit os_getenv os_remove os_rename os_setlocale os_time
      os_tmpname`),
  },
  { reason: 'what debug has left', functions: words('db_getinfo db_traceback') },
  {
    reason: 'string without dump',
    functions: words(`
      str_byte str_char str_find str_format gmatch str_gsub str_len str_lower str_match str_rep
      str_reverse str_sub str_upper str_pack str_packsize str_unpack`),
  },
  {
    reason: 'metamethods of strings',
    functions: words(`
      arith_add arith_sub arith_mul arith_mod arith_pow arith_div arith_idiv arith_unm`),
  },
  { reason: 'table', functions: words('tconcat tinsert tpack tunpack tremove tmove sort') },
  { reason: 'utf8', functions: words('byteoffset codepoint utfchar utflen iter_codes') },
  {
    reason: 'operations of FILE; standard streams are never closed',
    functions: words(`
      __stdio_seek __stdio_write __stdio_read __stdio_close __emscripten_stdout_seek`),
  },
  { reason: 'parts of printf', functions: words('fmt_fp pop_arg_long_double sn_write') },
]

/** Stock functions that keep their slot. */
export const NEEDED_FUNCTIONS: readonly string[] = NEEDED.flatMap(({ functions }) => functions)

/** @throws unless the module's table has the functions listed above, as far as they are named. */
export function checkStockTable(module: Wat): void {
  const slots = module.find('(elem $0').slice(0, -1).split(' $').slice(2)
  expectCount('slots of the function table', STOCK_TABLE.length, slots.length)
  slots.forEach((name, index) => {
    const listed = STOCK_TABLE[index]
    if (!/^\d/.test(name) && name !== listed) {
      throw new Error(`slot ${index + 1} of the function table is ${name}, not ${listed}`)
    }
  })
}

export function stockSlot(name: string): number {
  const index = STOCK_TABLE.indexOf(name)
  if (index < 0) throw new Error(`${name} is not in the function table`)
  return index + 1
}

/** Stock slots that trap. */
export function unneededSlots(needed = NEEDED_FUNCTIONS): number[] {
  const kept = new Set(needed.map(stockSlot))
  return STOCK_TABLE.map((_, index) => index + 1).filter((slot) => !kept.has(slot))
}

function words(text: string): string[] {
  return text.trim().split(/\s+/)
}

const STOCK_SLOTS = STOCK_TABLE.length + 1

/** Slots for C functions that the edits add. */
export class TableSlots {
  #functions: string[] = []

  /** Allocates a slot on first use. */
  slotOf(name: string): number {
    const at = this.#functions.indexOf(name)
    return STOCK_SLOTS + (at < 0 ? this.#functions.push(name) - 1 : at)
  }

  addTo(module: Wat): void {
    const slots = STOCK_SLOTS + this.#functions.length
    module.replace(`(table $0 ${STOCK_SLOTS} funcref)`, `(table $0 ${slots} ${slots} funcref)`)
    module.add(`(elem (i32.const ${STOCK_SLOTS}) ${this.#functions.join(' ')})`)
  }
}

/** Replaces a stock function in its slot, so that the stock libraries register the replacement. */
export function takeSlot(module: Wat, stock: string, replacement: string): void {
  const slots = module.find('(elem $0').split(/(?=[ )])/)
  expectCount(stock, 1, slots.filter((slot) => slot === ` ${stock}`).length)
  const changed = slots.map((slot) => (slot === ` ${stock}` ? ` ${replacement}` : slot))
  module.replace('(elem $0', changed.join(''))
}
