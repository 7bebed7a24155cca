/** The scripts in `examples`. */
import csv from '../../../../examples/csv.lua'
import dump from '../../../../examples/dump.lua'
import plot from '../../../../examples/plot.lua'
import search from '../../../../examples/search.lua'
import firstStep from '../../../../examples/steps-1.lua'
import secondStep from '../../../../examples/steps-2.lua'

/** Each step is a run. */
export interface Example {
  readonly title: string
  readonly summary: string
  readonly steps: readonly string[]
}

export const EXAMPLES: readonly Example[] = [
  {
    title: 'Plot',
    summary: 'Draws the phases of the Moon into an SVG, and leaves the numbers as CSV.',
    steps: [plot],
  },
  {
    title: 'Sum up a CSV',
    summary: 'Reads a CSV line by line and sums it up by region.',
    steps: [csv],
  },
  {
    title: 'Two steps',
    summary: 'One run leaves files, the next picks them up.',
    steps: [firstStep, secondStep],
  },
  {
    title: 'API into files',
    summary: 'Pulls a data set out of an API, page by page, into a file.',
    steps: [dump],
  },
  {
    title: 'Search an API',
    summary: 'Finds functions by a question in plain words, and calls the first.',
    steps: [search],
  },
]
