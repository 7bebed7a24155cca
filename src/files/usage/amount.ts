/** What files take up at the store. Where something else is counted, `bytes` holds its number. */
export interface Amount {
  readonly bytes: number
  readonly objects: number
}

export const NOTHING: Amount = { bytes: 0, objects: 0 }

export function sum(...all: readonly Amount[]): Amount {
  return {
    bytes: all.reduce((total, { bytes }) => total + bytes, 0),
    objects: all.reduce((total, { objects }) => total + objects, 0),
  }
}

/** What one has that the other lacks. */
export function lacking(one: Amount, other: Amount): Amount {
  return {
    bytes: Math.max(0, one.bytes - other.bytes),
    objects: Math.max(0, one.objects - other.objects),
  }
}

export function larger(one: Amount, other: Amount): Amount {
  return {
    bytes: Math.max(one.bytes, other.bytes),
    objects: Math.max(one.objects, other.objects),
  }
}

export function isWithin(one: Amount, { bytes, objects }: Amount): boolean {
  return one.bytes <= bytes && one.objects <= objects
}
