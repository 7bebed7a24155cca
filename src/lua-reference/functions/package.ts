/** `package`: what `require` has loaded. */
import { library } from '../lua-function.ts'

const ONLY_READ = 'Only for libraries that read it: assigning it changes nothing.'

export const PACKAGE = library({
  name: 'package',
  title: 'Modules',
  summary: 'What `require` has loaded, and where it looks.',
  functions: [
    {
      signature: 'package.loaded → table',
      summary: 'The values of modules and libraries by name, from which `require` takes them.',
      details: 'To load a module again, set its value to `nil`.',
      example:
        'package.loaded.answer = 42\nreturn { require("answer"), require("string") == string }',
      returns: '[42,true]',
    },
    {
      signature: 'package.preload → table',
      summary: 'Functions by the name of the module they make, which go before files.',
      example:
        'package.preload.greet = function(name)\n  return function(who) return name .. " " .. who end\nend\nreturn require("greet")("world")',
      returns: '"greet world"',
    },
    {
      signature: 'package.path → string',
      summary: 'Where modules are: `lib/?.lua;lib/?/init.lua`.',
      differs: ONLY_READ,
      example: 'return package.path',
      returns: '"lib/?.lua;lib/?/init.lua"',
    },
    {
      signature: 'package.cpath → string',
      summary: 'An empty text: there are no modules in C.',
      differs: ONLY_READ,
      example: 'return package.cpath',
      returns: '""',
    },
    {
      signature: 'package.config → string',
      summary: 'Signs of paths, one per line; the first separates folders.',
      differs: ONLY_READ,
      example: 'return package.config:sub(1, 1)',
      returns: '"/"',
    },
  ],
})
