/** Names the functions of wasmoon's binary that the edits use. */
import { expectCount, type Wat } from './wat.ts'

/** Function indices: the binary has no name section. Only valid for the pinned binary. */
const INTERNAL: Record<number, string> = {
  69: 'lua_gc',
  86: 'pushglobalfuncname',
  144: 'luaB_error',
  145: 'luaB_collectgarbage',
  190: 'luaK_exp2val',
  192: 'luaK_storevar',
  208: 'luaB_corunning',
  212: 'luaB_yield',
  213: 'luaB_yieldable',
  220: 'db_getinfo',
  232: 'db_traceback',
  246: 'luaG_runerror',
  247: 'getobjname',
  254: 'luaD_seterrorobj',
  255: 'luaD_throw',
  256: 'luaD_rawrunprotected',
  257: 'luaD_reallocstack',
  258: 'luaD_growstack',
  259: 'luaD_shrinkstack',
  264: 'luaD_poscall',
  265: 'precallC',
  266: 'luaD_precall',
  267: 'luaD_call',
  268: 'luaD_callnoyield',
  271: 'unroll',
  277: 'f_parser',
  283: 'luaF_close',
  288: 'luaC_barrierback_',
  290: 'luaC_newobj',
  295: 'singlestep',
  300: 'propagatemark',
  301: 'luaC_step',
  303: 'luaC_fullgc',
  315: 'io_lines',
  318: 'io_open',
  323: 'g_read',
  327: 'g_write',
  329: 'io_readline',
  330: 'read_line',
  334: 'f_read',
  338: 'f_seek',
  377: 'math_randomseed',
  383: 'luaM_realloc_',
  402: 'luaO_tostring',
  405: 'addnum2buff',
  409: 'os_clock',
  414: 'os_exit',
  416: 'os_remove',
  417: 'os_rename',
  418: 'os_setlocale',
  421: 'os_tmpname',
  423: 'statement',
  429: 'suffixedexp',
  434: 'body',
  440: 'funcargs',
  445: 'luaE_checkcstack',
  456: 'luaS_newlstr',
  457: 'luaS_createlngstrobj',
  460: 'str_byte',
  465: 'str_find_aux',
  468: 'gmatch_aux',
  469: 'str_gsub',
  470: 'match',
  475: 'str_rep',
  497: 'luaH_resize',
  499: 'luaH_get',
  502: 'mainposition',
  503: 'luaH_getint',
  504: 'luaH_getshortstr',
  505: 'luaH_getstr',
  506: 'luaH_finishset',
  509: 'tconcat',
  511: 'tinsert',
  514: 'tremove',
  515: 'tmove',
  517: 'auxsort',
  544: 'luaV_finishset',
  546: 'luaV_concat',
  548: 'luaV_execute',
  561: '__toread',
  567: '__stdio_write',
  570: '__fdopen',
  573: '__towrite',
  577: 'fread',
  579: 'fseeko',
  580: 'ftello',
  590: 'pow',
  602: 'strerror',
  613: '__floatscan',
  642: 'emscripten_longjmp',
}

/** Names exported, imported and listed functions; others keep their number. */
export function nameFunctions(module: Wat): void {
  const names = new Map<string, string>()
  for (const field of module.all('(import ')) {
    const [, name, index] = field.match(/^\(import "\w+" "(\w+)" \(func \$(fimport\$\d+)/) ?? []
    if (name && index) names.set(index, name)
  }
  for (const field of module.all('(export ')) {
    const [, name, index] = field.match(/^\(export "(\w+)" \(func \$(\d+)\)\)$/) ?? []
    if (name && index && !names.has(index)) names.set(index, name)
  }
  for (const [index, name] of Object.entries(INTERNAL)) {
    if (names.has(index)) throw new Error(`function ${index} is exported, it needs no other name`)
    names.set(index, name)
  }

  let named = 0
  module.editAll((field) =>
    field.replace(
      /(\((?:func|call) )\$((?:fimport\$)?\d+)\b/g,
      (text, open: string, index: string) => {
        const name = names.get(index)
        if (!name) return text
        if (open === '(func ' && !field.startsWith('(export')) named++
        return `${open}$${name}`
      },
    ),
  )
  const table = module.find('(elem ').split(' ')
  const first = table.indexOf('1)') + 1
  const slots = table.map((slot, index) =>
    index < first ? slot : slot.replace(/\d+/, (number) => names.get(number) ?? number),
  )
  module.replace('(elem ', slots.join(' '))
  expectCount('named functions', names.size, named)
}
