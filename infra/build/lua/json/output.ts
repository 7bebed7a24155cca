/**
 * Where encoded text goes: first to the C stack, then to the host in parts, or to blocks of memory
 * that become a Lua string.
 */
import { MAX_JSON_BYTES, NO_MEMORY, TO_HOST, TOO_LONG } from '../../../../src/vm/json/json-codes'
import { fail } from './failures'
import { pushObject } from './layout'
import { LONG_STRING, TEXT } from './offsets'
import {
  copy,
  give_part,
  lua_pushlstring,
  luaM_realloc_,
  luaS_createlngstrobj,
  SCRATCH,
} from './lua'

/** Bytes beyond the limit that may be written without asking for room. */
const SPARE: i32 = 64
/** On the C stack: of the first buffer, and of the one for the host's parts. */
const FIRST_BYTES: i32 = 1024
const PART_BYTES: i32 = 16384
/** Of blocks: from 16 KiB, four times as much each, to 256 KiB. */
const MIN_BLOCK: i32 = 16384
const MAX_BLOCK: i32 = 262144
/** A block begins with the next one, its size and its used bytes. */
const NEXT: i32 = 0
const SIZE: i32 = 4
const USED: i32 = 8
const HEADER: i32 = 16

/** At most this address needs no room. */
export let limit: i32 = 0
let L: i32 = 0
let style: i32 = 0
let maxBytes: i32 = 0
let first: i32 = 0
/** The current buffer, where it ends, and bytes before it. */
let start: i32 = 0
let bufferEnd: i32 = 0
let before: i32 = 0
let firstBlock: i32 = 0
let lastBlock: i32 = 0

/** @param area On the C stack. Returns where to write. */
export function openOutput(thread: i32, howTo: i32, most: i32, area: i32): i32 {
  L = thread
  style = howTo
  maxBytes = most < MAX_JSON_BYTES ? most : MAX_JSON_BYTES
  // The part next to what is in use: that memory has been touched before.
  first = area + PART_BYTES
  before = 0
  firstBlock = 0
  lastBlock = 0
  return useBuffer(first, FIRST_BYTES)
}

function useBuffer(at: i32, bytes: i32): i32 {
  start = at
  bufferEnd = at + bytes
  const atMost = at + maxBytes - before
  const room = bufferEnd - SPARE
  limit = room < atMost ? room : atMost
  return at
}

/** Call if `at` plus `bytes` exceeds the limit. Returns where to write now, or 0. */
export function makeRoom(at: i32, bytes: i32): i32 {
  if (before + at - start > maxBytes) return fail(TOO_LONG, 0)
  if (at + bytes + SPARE <= bufferEnd) return at
  before += at - start
  if (style & TO_HOST) {
    givePart(at)
    return useBuffer(first - PART_BYTES, PART_BYTES)
  }
  if (lastBlock) store<i32>(lastBlock, at - start, USED)
  return addBlock()
}

function addBlock(): i32 {
  let size = MIN_BLOCK
  if (lastBlock) {
    size = 4 * load<i32>(lastBlock, SIZE)
    if (size > MAX_BLOCK) size = MAX_BLOCK
  }
  const block = luaM_realloc_(L, 0, 0, size)
  if (!block) return fail(NO_MEMORY, 0)
  store<i32>(block, 0, NEXT)
  store<i32>(block, size, SIZE)
  if (lastBlock) store<i32>(lastBlock, block, NEXT)
  else {
    firstBlock = block
    firstUsed = before
  }
  lastBlock = block
  return useBuffer(block + HEADER, size - HEADER)
}

/** Bytes in the first buffer, when there are blocks. */
let firstUsed: i32 = 0

function givePart(at: i32): void {
  store<i32>(SCRATCH, start)
  store<i32>(SCRATCH, at - start, 4)
  give_part(L)
}

/** Has the host forget what it got. */
export function restartOutput(): void {
  if (!(style & TO_HOST)) return
  store<i32>(SCRATCH, 0)
  give_part(L)
}

/** Gives the host the rest, or pushes the string; returns whether it is short enough. */
export function closeOutput(at: i32): bool {
  const bytes = before + at - start
  if (bytes > maxBytes) {
    fail(TOO_LONG, 0)
    return false
  }
  if (style & TO_HOST) givePart(at)
  else if (!lastBlock) lua_pushlstring(L, start, bytes)
  else {
    store<i32>(lastBlock, at - start, USED)
    pushBlocks(bytes)
  }
  return true
}

function pushBlocks(bytes: i32): void {
  const text = luaS_createlngstrobj(L, bytes)
  pushObject(L, text, LONG_STRING)
  let to = text + TEXT
  copy(to, first, firstUsed)
  to += firstUsed
  while (firstBlock) {
    const used = load<i32>(firstBlock, USED)
    copy(to, firstBlock + HEADER, used)
    to += used
    freeFirstBlock()
  }
}

function freeFirstBlock(): void {
  const block = firstBlock
  firstBlock = load<i32>(block, NEXT)
  luaM_realloc_(L, block, load<i32>(block, SIZE), 0)
}

export function freeOutput(): void {
  while (firstBlock) freeFirstBlock()
}
