/** What the module gets of the codec: see ../edits/json-codec.ts. */
export { markArray } from './array-marks'
export { decode } from './decode'
export { encode, release } from './encode'
