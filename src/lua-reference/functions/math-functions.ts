/** `math`: transcendental functions. */
import type { LuaFunction } from '../lua-function.ts'

export const CURVE_FUNCTIONS: readonly LuaFunction[] = [
  {
    name: 'math.sqrt',
    signature: 'math.sqrt(x) → number',
    summary: 'The square root.',
    example: 'return math.sqrt(81)',
    returns: '9',
  },
  {
    name: 'math.exp',
    signature: 'math.exp(x) → number',
    summary: 'e to the power of x.',
    example: 'return math.exp(0)',
    returns: '1',
  },
  {
    name: 'math.log',
    signature: 'math.log(x, base?) → number',
    summary: 'The logarithm, to the base e unless there is another.',
    example: 'return { math.log(1), math.log(8, 2), math.log(1000, 10) }',
    returns: '[0,3,3]',
  },
  {
    name: 'math.sin',
    signature: 'math.sin(x) → number',
    summary: 'The sine of an angle in radians.',
    example: 'return math.sin(0)',
    returns: '0',
  },
  {
    name: 'math.cos',
    signature: 'math.cos(x) → number',
    summary: 'The cosine of an angle in radians.',
    example: 'return math.cos(0)',
    returns: '1',
  },
  {
    name: 'math.tan',
    signature: 'math.tan(x) → number',
    summary: 'The tangent of an angle in radians.',
    example: 'return math.tan(0)',
    returns: '0',
  },
  {
    name: 'math.asin',
    signature: 'math.asin(x) → number',
    summary: 'The angle, in radians, whose sine is x.',
    example: 'return math.deg(math.asin(1))',
    returns: '90',
  },
  {
    name: 'math.acos',
    signature: 'math.acos(x) → number',
    summary: 'The angle, in radians, whose cosine is x.',
    example: 'return math.acos(1)',
    returns: '0',
  },
  {
    name: 'math.atan',
    signature: 'math.atan(y, x?) → number',
    summary: 'The angle, in radians, to the point x, y; x is 1 unless it is given.',
    example: 'return math.deg(math.atan(1, -1))',
    returns: '135',
  },
  {
    name: 'math.deg',
    signature: 'math.deg(x) → number',
    summary: 'An angle in degrees instead of radians.',
    example: 'return math.deg(math.pi)',
    returns: '180',
  },
  {
    name: 'math.rad',
    signature: 'math.rad(x) → number',
    summary: 'An angle in radians instead of degrees.',
    example: 'return math.rad(180) == math.pi',
    returns: 'true',
  },
]
