/** The vocabulary of random programs: edge cases of every type, and library functions. */

/** Words with two blanks or more between them, just as they are written. */
const words = ({ raw }: TemplateStringsArray) => raw[0]!.trim().split(/\s{2,}/)

export const NUMBERS = words`
  0  1  -1  2  3  7  10  -5  31  32  63  64  255  256  65536  0.1  -0.0  0.5  1.5  3.0  1e15
  1e100  1e308  -1e308  5e-324  2^31  2^53  2^53 + 1  2^63  -2^63  1/0  -1/0  0/0  1e9  1e6  1000
  100000  math.maxinteger  math.mininteger  math.pi  0x7fffffff  0x80000000  0xffffffff
  0x7fffffffffffffff  0xffffffffffffffff  0x1p-1074  1e-320  9007199254740993
`

export const SMALL = words`
  0  1  2  3  4  5  -1  -2  10  20  2.0  -3  8
`

export const STRINGS = words`
  ""  "a"  "abc"  "hello world"  "\0"  "a\0b"  "\255\254"  "\xc3\x28"  "10"  "0x10"  "1e1"  " 5 "
  "-0"  "1e400"  "nan"  "inf"  "0x1p4"  "1 2"  "héllo"  "日本"  "\u{7FFFFFFF}"  "\u{D800}"
  "\u{10FFFF}"  "\n"  "a\r\nb\n"  ("x"):rep(300)  ("ab\n"):rep(50)  "a,b,,c"  "k=v; k2=v2"  "%"
  "(())"  "[]"  "x=1"  "return 1"  "return ..."  "\27Lua"  "--"  "#!/x\nreturn 1"  "goto x"
`

export const PATTERNS = words`
  "."  ".-"  ".*"  "%w+"  "(%w+)=(%w+)"  "()"  "^a"  "a$"  "%bxy"  "%b()"  "%f[%w]"  "[^,]*"
  "[a-"  "%"  "("  ")"  "(()"  "%1"  "(a)%1"  "[]]"  ""  "[%a-z]"  "%g+"  "\0"  "[\0-\255]"
  ("a?"):rep(20)  "a-b"  ".-.-b"  "%x*$"  ("(a"):rep(33)  "[^%s]+"  "%9"  "%p"  "x*"  "^"  "$"
  "^$"
`

export const FORMATS = words`
  "%d"  "%5.2f"  "%s"  "%q"  "%x"  "%a"  "%g"  "%c"  "%i"  "%%"  "%-10s|"  "%099d"  "%100d"
  "%.99f"  "%.14g"  "% d"  "%+d"  "%#x"  "%"  "%y"  "%ll"  "%s %s %s"  "%.20s"  "%10.3s"  "%u"
  "%o"  "%e"  "%p"  "%q%q"  "%5q"  "%.3q"
`

export const PACKS = words`
  "i4"  "<i8"  ">I2"  "z"  "s1"  "s4"  "d"  "f"  "n"  "j"  "J"  "T"  "!8i1i8"  "i17"  "i0"  "i16"
  "c5"  "c0"  "c"  "x"  "X"  "Xi4"  "!3i4"  "<!4 i1 !2 d"  "b B h H l L"  "s"  "="  "!"  "q"
  "c2147483647"  " "  "Xz"
`

export const READS = words`
  "n"  "l"  "L"  "a"  "*l"  "*a"  0  1  5  100  "x"  -1  1e9
`

export const MODES = words`
  "r"  "w"  "a"  "r+"  "w+"  "a+"  "rb"  "w+b"  "x"  ""  "rw"  "wb+"
`

export const PATHS = words`
  "a"  "b"  "c"  "d/x"  "d"  "./a"  "new"  "d/x/y"  "share/s"  "e/f"  ""  "/etc/passwd"  "../a"
  "a\0"  "a/"  "."  "\255"  ("x"):rep(600)  "a\nb"
`

/** A function and what it is meant to be given, a letter for each kind; `?` is anything, `..` more of anything. */
export const CALLS = words`
  string.byte s i i  string.char i i i  string.find s p i ?  string.format F ? ? ?
  string.gmatch s p i  string.gsub s p R i  string.len s  string.lower s  string.match s p i
  string.pack P ? ? ?  string.packsize P  string.rep s i s  string.reverse s  string.sub s i i
  string.unpack P s i  string.upper s  table.concat t s i i  table.insert t i ?  table.insert t ?
  table.move t i i i t  table.pack ? ? ?  table.remove t i  table.sort t  table.sort t f
  table.unpack t i i  math.abs n  math.ceil n  math.floor n  math.fmod n n  math.log n n
  math.max n n n  math.min n n  math.modf n  math.random i i  math.random i  math.random
  math.randomseed i i  math.sqrt n  math.tointeger ?  math.type ?  math.ult i i  math.exp n
  math.sin n  utf8.char i i  utf8.codes s ?  utf8.codepoint s i i ?  utf8.len s i i ?
  utf8.offset s i i  tostring ?  tonumber ? i  tonumber ?  type ?  rawget t ?  rawset t ? ?
  rawequal ? ?  rawlen ?  next t ?  pairs t  ipairs t  select i ? ? ?  select "#" ? ..
  setmetatable t m  getmetatable ?  assert ? ?  error ? i  pcall f ? ?  xpcall f f ?
  pcall error ?  pcall pcall f  load s  load f  load s s "t" t  load s s "b"  unpack t
  coroutine.create f  coroutine.wrap f  coroutine.resume c ? ?  coroutine.status c
  coroutine.close c  coroutine.isyieldable c  coroutine.running  coroutine.yield ? ?
  collectgarbage  collectgarbage "count"  collectgarbage "step" i  collectgarbage s  json.encode ?
  json.encode ? t  json.decode s  json.array t  io.open W M  io.lines W r r  io.list W  io.list
  io.type ?  io.close h  io.write ? ?  os.remove W  os.rename W W  os.time  os.time t  os.date s
  os.date s i  os.date "*t" n  os.clock  os.difftime n n  file.save W s  h:read r r  h:write ? ?
  h:lines r  h:seek "set" i  h:seek "end" i  h:seek s n  h:flush  h:close  h:setvbuf s i
  io.stdout:write ? ..  io.stdout:seek s i  io.stderr:write s  print ? ?  sdk.search s  sdk.help s
  sdk.x t  string.dump f  debug.traceback  require s  dofile W  warn s
`

export const EVENTS = words`
  __index  __newindex  __call  __add  __sub  __mul  __div  __mod  __pow  __unm  __idiv  __band
  __bor  __bxor  __shl  __shr  __bnot  __concat  __len  __eq  __lt  __le  __tostring  __name
  __pairs  __gc  __close  __mode  __metatable
`

export const BINARY = words`
  +  -  *  /  //  %  ^  ..  ==  ~=  <  <=  >  >=  and  or  &  |  ~  <<  >>
`

/** For programs that are no programs. */
export const TOKENS = [
  ...words`
  and  break  do  else  elseif  end  false  for  function  goto  if  in  local  nil  not  or
  repeat  return  then  true  until  while  +  -  *  /  %  ^  #  &  ~  |  <<  >>  //  ==  ~=  <=
  >=  <  >  =  (  )  {  }  [  ]  ::  ;  :  ,  .  ..  ...  <const>  <close>  [[  ]]  --  --[[  [==[
  ]==]  "  '  "\  0x  1e  3..2  x  y  f  1  "s"  @  $  0x.p1  1e+  "\u{110000000}"  "\300"  "\xg"
`,
  '\n',
  '\\',
  '\u0000',
  '\xff',
  '\ufeff',
]
