/**
 * Well-known libraries in pure Lua, as Debian keeps their sources, and where their modules and
 * tests are.
 */

/** Debian's native Lua. */
export const LUA = 'lua5.4'

/** How a file of tests is run; see spec-runner.lua. */
export type TestKind = 'busted' | 'luaunit' | 'script' | 'Test.More'

export interface Library {
  /** In Debian's pool. */
  readonly archive: string
  readonly sha256: string
  /** Places in `lib/` by file or folder of the archive. */
  readonly modules: Readonly<Record<string, string>>
  readonly tests: readonly (readonly [TestKind, RegExp])[]
  /** Tests that pass in native Lua only, and why. */
  readonly nativeOnly?: Readonly<Record<string, string>>
}

const SPECS = [['busted', /^specs?\/.*_spec\.lua$/]] as const

const NO_REAL_METATABLES = 'debug.getmetatable, which sees behind __metatable'
const NO_GETFENV = 'debug.getupvalue, in its getfenv'

/** By name, with the version. */
export const LIBRARIES: Readonly<Record<string, Library>> = {
  'ansicolors 1.0.2': {
    archive: 'lua-ansicolors_1.0.2.orig.tar.gz',
    sha256: 'fa76a465c2e0d342f6d5a1d44c63bd398053f206f41c7b5356b551694f899d64',
    modules: { 'ansicolors.lua': 'ansicolors.lua' },
    tests: SPECS,
  },
  'argparse 0.7.1': {
    archive: 'lua-argparse_0.7.1.orig.tar.gz',
    sha256: 'd344e49404c3e7b3e7fa4fe6741c106f25909d9b24923cb08dcceda1f9754809',
    modules: { 'src/argparse.lua': 'argparse.lua' },
    tests: SPECS,
  },
  'basexx 0.4.1': {
    archive: 'lua-basexx_0.4.1.orig.tar.gz',
    sha256: 'ff62b00446df1181a9cd20ba970c3c8493165d262142e10d069ee3de6337dfe6',
    modules: { 'lib/basexx.lua': 'basexx.lua' },
    tests: [['busted', /^test\/.*_spec\.lua$/]],
  },
  'binaryheap 0.4': {
    archive: 'lua-binaryheap_0.4.orig.tar.gz',
    sha256: '10b1b6c6f2d22560f512f9896a6672ec5ae0eea1390ff8e662be1d5d9625b438',
    modules: { 'src/binaryheap.lua': 'binaryheap.lua' },
    tests: SPECS,
  },
  'cliargs 3.0.2': {
    archive: 'lua-cliargs_3.0.2.orig.tar.gz',
    sha256: 'a7a57ab9c73f6c44040a78305b6dc7780ca1565cc4c9057d74a6608cb0443af4',
    modules: { src: '', 'spec/spec_helper.lua': 'spec_helper.lua' },
    tests: SPECS,
  },
  'coxpcall 1.17.0': {
    archive: 'lua-coxpcall_1.17.0.orig.tar.gz',
    sha256: '6044f70fcc01f50cae3a191cba13c252dcf9e6f169502e3d9c4a151934c46be0',
    modules: { 'src/coxpcall.lua': 'coxpcall.lua' },
    tests: [['script', /^tests\/test\.lua$/]],
  },
  'dkjson 2.8': {
    archive: 'lua-dkjson_2.8.orig.tar.gz',
    sha256: '24e8cd3beb91c1c861eb7bb3fbc9bd418bbff9ad4aa5d0471816258236a31532',
    modules: { 'dkjson.lua': 'dkjson.lua' },
    tests: [['script', /^jsontest\.lua$/]],
  },
  'fifo 0.2': {
    archive: 'lua-fifo_0.2.orig.tar.gz',
    sha256: '85cad0c2f9eac1cd3e08c5134feb655e0b928e1e22363c3ef3293a194c0eb53f',
    modules: { 'fifo.lua': 'fifo.lua' },
    tests: SPECS,
  },
  'inifile 1.1': {
    archive: 'lua-inifile_1.1.orig.tar.gz',
    sha256: '3beb7db2d8ade8658152329c3644c8403300dc780d2dba346e612e45ef01ac24',
    modules: { 'inifile.lua': 'inifile.lua' },
    tests: [['busted', /^inifile_spec\.lua$/]],
  },
  'inspect 3.1.1': {
    archive: 'lua-inspect_3.1.1.orig.tar.gz',
    sha256: '0292f4960ef0ccb2c7334911981b280f9016c57a29c90c5ff5d3823621f6e0db',
    modules: { 'inspect.lua': 'inspect.lua', 'spec/unindent.lua': 'spec/unindent.lua' },
    tests: SPECS,
  },
  'luassert 1.9.0': {
    archive: 'lua-luassert_1.9.0.orig.tar.gz',
    sha256: '1db0fabf1bd87392860375b89a8a37d17b687325c988be0df8c42e7e96e7ed73',
    modules: { src: 'luassert' },
    tests: SPECS,
    nativeOnly: {
      'spec/assertions_spec.lua Test Assertions Checks the same() assertion for tables with protected metatables':
        NO_REAL_METATABLES,
      'spec/assertions_spec.lua Test Assertions Checks userdata() assertion': 'io.tmpfile',
      'spec/matchers_spec.lua Test Matchers Checks the same() matcher for tables with protected metatables':
        NO_REAL_METATABLES,
      'spec/output_spec.lua Output testing using custom failure message Should use failure message for is_type assertions':
        'io.stdin',
    },
  },
  'luaunit 3.4': {
    archive: 'lua-unit_3.4.orig.tar.gz',
    sha256: 'b8aea5826f09749d149efa8ef1b13f81e6a9fc6abfbe4c1cbf87a558a6d4e8d0',
    modules: { 'luaunit.lua': 'luaunit.lua' },
    tests: [['luaunit', /^test\/test_luaunit\.lua$/]],
    nativeOnly: { 'TestLuaUnitOutputters.testJUnitOutputErrors': 'opens /tmp, which raises here' },
  },
  'mediator 1.1.2': {
    archive: 'lua-mediator_1.1.2-0.orig.tar.gz',
    sha256: 'faf5859fd2081be4e9e4fb8873a2dc65f7eff3fd93d6dd14da65f8e123fcff9b',
    modules: { 'src/mediator.lua': 'mediator.lua' },
    tests: SPECS,
  },
  'MessagePack 0.5.2': {
    archive: 'lua-messagepack_0.5.2.orig.tar.gz',
    sha256: 'e8285b1c574fca279e7ec8c09b49073ef48a13c4a12d8db920ca50be34b07394',
    modules: { 'src5.3/MessagePack.lua': 'MessagePack.lua' },
    // Without the tests of random input, which differ each time.
    tests: [['Test.More', /^test\/(?!05-)[^/]+\.lua$/]],
    nativeOnly: {
      'test/02-except.lua 3': 'io.stdin',
      'test/14-function.lua 2': 'string.dump',
      'test/14-function.lua 3': 'string.dump',
      'test/14-function.lua 4': 'string.dump',
    },
  },
  'moses 2.1.0': {
    archive: 'lua-moses_2.1.0.orig.tar.gz',
    sha256: '4ea39dc9526031cf42b7b7a1631b791ab660382a1f425bc8f69c9eefc44a1611',
    modules: { 'moses.lua': 'moses.lua' },
    tests: SPECS,
    nativeOnly: {
      'spec/func_spec.lua Utility functions specs call calls f(...) and returns the results':
        'string.dump',
    },
  },
  'Penlight 1.14.0': {
    archive: 'lua-penlight_1.14.0.orig.tar.gz',
    sha256: '2387431c0e83c4189cccb35b989141a3280d735cb5d42bacf3451af9869bebf7',
    modules: { 'lua/pl': 'pl', 'tests/lua': '' },
    tests: [...SPECS, ['script', /^tests\/[^/]+\.lua$/]],
    nativeOnly: {
      'spec/app_spec.lua pl.app.platform should at least return a valid platform': 'io.popen',
      'tests/test-__vector.lua': NO_GETFENV,
      'tests/test-class.lua': NO_GETFENV,
      'tests/test-class2.lua': NO_GETFENV,
      'tests/test-comprehension.lua': NO_GETFENV,
      'tests/test-lapp.lua': 'io.stdin',
      'tests/test-pretty.lua': 'debug.gethook, in pretty.load',
      'tests/test-tablex.lua': 'imports a zip of its own, and ours is in the way',
      'tests/test-types.lua': 'io.stdin',
      'tests/test-utils2.lua': 'os.execute',
    },
  },
  'say 1.4.1': {
    archive: 'lua-say_1.4.1.orig.tar.gz',
    sha256: 'ce07547ca49ef42cc799e2a30b3c65ce77039978e32e7961799a252d61a56486',
    modules: { 'src/say': 'say' },
    tests: SPECS,
  },
}
