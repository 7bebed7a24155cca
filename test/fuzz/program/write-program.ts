/** Writes random Lua programs: mostly valid ones, with unusual values. */
import { Random } from '../../support/random.ts'
import { EXITS } from './exits.ts'
import { ExpressionWriter, MAX_DEPTH, NAMES } from './expression-writer.ts'
import * as words from './words.ts'

/** The same program for the same seed; some of them are damaged on purpose. */
export function writeProgram(seed: number): string {
  const random = new Random(seed)
  if (random.chance(3)) return soup(random)
  const program = new ProgramWriter(random).program()
  return random.chance(5) ? damaged(random, program) : program
}

function soup(random: Random): string {
  const length = 1 + random.below(40)
  return Array.from({ length }, () => random.pick(words.TOKENS)).join(random.chance(80) ? ' ' : '')
}

/** Never in the first line: a program without its seed would draw other numbers each time. */
function damaged(random: Random, program: string): string {
  const start = program.indexOf('\n') + 1
  const at = start + random.below(program.length - start)
  const [before, after] = [program.slice(0, at), program.slice(at + random.below(12))]
  return before + (random.chance(50) ? random.pick(words.TOKENS) : '') + after
}

/** Every method gives Lua text. */
class ProgramWriter extends ExpressionWriter {
  program(): string {
    const lines = [
      `math.randomseed(${this.random.below(1000)})`,
      `local a, b, c, d, e = ${Array.from(NAMES, () => this.simple()).join(', ')}`,
      `local h = io.open(${this.pick(words.PATHS.slice(0, 5))}, ${this.pick(words.MODES.slice(0, 8))})`,
      'local function try(f, ...) return select(2, pcall(f, ...)) end',
    ]
    // What fails does so mostly by itself; a few programs are longer, for what takes several to fail.
    const most = this.random.chance(12) ? 8 : 3
    for (let left = 1 + this.random.below(most); left > 0; left--) lines.push(this.#guarded())
    lines.push(this.#end())
    return lines.join('\n')
  }

  /** Most statements fail, and the program should go on all the same. */
  #guarded(): string {
    const statement = this.statement()
    if (this.random.chance(6)) return `do ${statement} end`
    return `print(pcall(function(...) ${statement} end, ${this.simple()}))`
  }

  #end(): string {
    if (this.random.chance(3)) return this.random.pick(EXITS)
    return this.random.chance(60) ? `return ${this.simple()}` : `return ${this.expression()}`
  }

  override statement(): string {
    if (this.depth >= MAX_DEPTH) return `print(${this.call()})`
    this.depth++
    const written = this.#anyStatement()
    this.depth--
    return written
  }

  #anyStatement(): string {
    const random = this.random
    const [name, other] = [random.pick(NAMES), random.pick(NAMES)]
    const block = () => {
      const count = random.chance(70) ? 1 : 2
      return Array.from({ length: count }, () => this.statement()).join(' ')
    }
    switch (random.below(19)) {
      case 0:
        return `local ${name} = ${this.expression()} ${block()}`
      case 1:
        return `${name}, ${other} = ${this.several(2)}`
      case 2:
        return `if ${this.expression()} then ${block()} else ${block()} end`
      case 3:
        return `for i = ${this.pick(words.SMALL)}, ${this.pick(words.SMALL)}, ${this.number()} do ${block()} if i then break end end`
      case 4:
        return `for ${name} = ${this.number()}, ${this.number()}, ${this.number()} do ${block()} if math.random(2) == 1 then break end end`
      case 5:
        return `for k, v in pairs(${this.table()}) do print(k, v) ${block()} end`
      case 6:
        return `local n = 0 repeat n = n + 1 do if n == 2 then goto continue end ${block()} end ::continue:: until n > ${random.below(5)}`
      case 7:
        return `local n = ${this.pick(words.SMALL)} while n < 4 do n = n + 1 ${block()} end`
      case 8:
        return `local function ${name}(x, ...) if math.random(3) == 1 then return ... end ${block()} return x, ${this.expression()} end print(${name}(${this.several(3)}))`
      case 9:
        return `local co = coroutine.wrap(function(...) for i = 1, 3 do ${other} = coroutine.yield(i, ${this.expression()}) ${block()} end end) print(try(co), try(co, ${this.expression()}), try(co))`
      case 10:
        return `${name} = setmetatable(${this.table()}, ${this.metatable()}) print(try(function(...) return ${name} ${this.pick(words.BINARY)} ${this.expression()} end))`
      case 11:
        return `print(try(function(...) ${block()} error(${this.expression()}, ${this.pick(words.SMALL)}) end))`
      case 12:
        return `print(xpcall(function(...) ${block()} error(${this.expression()}) end, function(m, ...) ${this.statement()} return m end))`
      case 13:
        return `do local x <close> = setmetatable({}, { __close = function(_, e, ...) print("closing", e) ${this.statement()} end }) ${block()} end`
      case 14:
        return `local f = load(${this.quoted(this.statement())}) print(f and try(f))`
      case 15:
        return `for l in io.lines(${this.pick(words.PATHS)}, ${this.pick(words.READS)}) do print(l) break end`
      case 16:
        return `h = io.open(${this.pick(words.PATHS)}, ${this.pick(words.MODES)}) or h ${block()}`
      case 17:
        return `${name} = ${this.call()} print(${name})`
      default:
        return `print(${this.call()})`
    }
  }
}
