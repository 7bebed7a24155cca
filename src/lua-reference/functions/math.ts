/** `math`: integers, rounding, random numbers, constants and transcendental functions. */
import { library } from '../lua-function.ts'

export const MATH = library({
  name: 'math',
  title: 'Numbers',
  summary: 'Integers of 64 bits and floats.',
  functions: [
    {
      signature: 'math.floor(x) → integer',
      summary: 'The largest integer not above x.',
      example: 'return { math.floor(2.7), math.floor(-2.7) }',
      returns: '[2,-3]',
    },
    {
      signature: 'math.ceil(x) → integer',
      summary: 'The smallest integer not below x.',
      example: 'return { math.ceil(2.1), math.ceil(-2.1) }',
      returns: '[3,-2]',
    },
    {
      signature: 'math.abs(x) → number',
      summary: 'The absolute value.',
      example: 'return math.abs(-7)',
      returns: '7',
    },
    {
      signature: 'math.max(x, ...) → number',
      summary: 'The largest of its arguments.',
      example: 'return math.max(3, 9, 4)',
      returns: '9',
    },
    {
      signature: 'math.min(x, ...) → number',
      summary: 'The smallest of its arguments.',
      example: 'return math.min(3, 9, 4)',
      returns: '3',
    },
    {
      signature: 'math.fmod(x, y) → number',
      summary: 'The remainder of x divided by y, with the sign of x; `%` has that of y.',
      example: 'return { math.fmod(-7, 3), -7 % 3 }',
      returns: '[-1,2]',
    },
    {
      signature: 'math.modf(x) → whole, fraction',
      summary: 'The integral and the fractional part of a number.',
      example: 'return { math.modf(3.25) }',
      returns: '[3,0.25]',
    },
    {
      signature: 'math.tointeger(x) → integer or nil',
      summary: 'The number as an integer, or `nil` if it has no integer value.',
      example: 'return { math.tointeger(3.0), math.tointeger(3.5) == nil }',
      returns: '[3,true]',
    },
    {
      signature: 'math.type(x) → string or nil',
      summary: '`integer` or `float` for a number, `nil` for anything else.',
      details: 'In results, floats without a fraction become integers: `1.0` arrives as `1`.',
      example: 'return { math.type(1), math.type(1.0), math.type("1") == nil }',
      returns: '["integer","float",true]',
    },
    {
      signature: 'math.ult(m, n) → boolean',
      summary: 'Whether m is less than n as unsigned integers.',
      example: 'return { math.ult(1, -1), 1 < -1 }',
      returns: '[true,false]',
    },
    {
      signature: 'math.random(m?, n?) → number',
      summary: 'A random number: from 0 to 1, from 1 to m, or from m to n.',
      differs: 'Seeded from real entropy in every run, but not meant for secrets.',
      example: 'local dice = math.random(6)\nreturn dice >= 1 and dice <= 6',
      returns: 'true',
    },
    {
      signature: 'math.randomseed(x?, y?) → integers',
      summary: 'Seeds `math.random`: the same seed gives the same numbers, no seed gives others.',
      differs: 'Without arguments the seed is real entropy, not the time of day.',
      example:
        'math.randomseed(42)\nlocal first = math.random(1000)\nmath.randomseed(42)\nreturn first == math.random(1000)',
      returns: 'true',
    },
    {
      signature: 'math.pi → number',
      summary: 'The ratio of a circle’s circumference to its diameter.',
      example: 'return string.format("%.5f", math.pi)',
      returns: '"3.14159"',
    },
    {
      signature: 'math.huge → number',
      summary: 'Infinity: greater than any other number.',
      details:
        'JSON has no infinity: in a result it becomes `null`, and `json.encode` raises an error.',
      example: 'return math.huge > math.maxinteger',
      returns: 'true',
    },
    {
      signature: 'math.maxinteger → integer',
      summary: 'The largest integer, 2^63 - 1.',
      details:
        'In a result, integers beyond 2^53 become strings, because many JSON parsers would round them, and a log line says so.',
      example: 'return math.maxinteger',
      returns: '"9223372036854775807"',
      prints: ['warning: in the result, an integer beyond 2^53 became a string'],
    },
    {
      signature: 'math.mininteger → integer',
      summary: 'The smallest integer, -2^63.',
      example: 'return math.mininteger == math.maxinteger + 1',
      returns: 'true',
    },
    {
      signature: 'math.sqrt(x) → number',
      summary: 'The square root.',
      example: 'return math.sqrt(81)',
      returns: '9',
    },
    {
      signature: 'math.exp(x) → number',
      summary: 'e to the power of x.',
      example: 'return math.exp(0)',
      returns: '1',
    },
    {
      signature: 'math.log(x, base?) → number',
      summary: 'The logarithm, to base e by default.',
      example: 'return { math.log(1), math.log(8, 2), math.log(1000, 10) }',
      returns: '[0,3,3]',
    },
    {
      signature: 'math.sin(x) → number',
      summary: 'The sine of an angle in radians.',
      example: 'return math.sin(0)',
      returns: '0',
    },
    {
      signature: 'math.cos(x) → number',
      summary: 'The cosine of an angle in radians.',
      example: 'return math.cos(0)',
      returns: '1',
    },
    {
      signature: 'math.tan(x) → number',
      summary: 'The tangent of an angle in radians.',
      example: 'return math.tan(0)',
      returns: '0',
    },
    {
      signature: 'math.asin(x) → number',
      summary: 'The angle, in radians, whose sine is x.',
      example: 'return math.deg(math.asin(1))',
      returns: '90',
    },
    {
      signature: 'math.acos(x) → number',
      summary: 'The angle, in radians, whose cosine is x.',
      example: 'return math.acos(1)',
      returns: '0',
    },
    {
      signature: 'math.atan(y, x?) → number',
      summary: 'The angle, in radians, of the point x, y; x is 1 by default.',
      example: 'return math.deg(math.atan(1, -1))',
      returns: '135',
    },
    {
      signature: 'math.deg(x) → number',
      summary: 'Converts an angle from radians to degrees.',
      example: 'return math.deg(math.pi)',
      returns: '180',
    },
    {
      signature: 'math.rad(x) → number',
      summary: 'Converts an angle from degrees to radians.',
      example: 'return math.rad(180) == math.pi',
      returns: 'true',
    },
  ],
})
