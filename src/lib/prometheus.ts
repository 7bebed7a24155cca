/** Counters and histograms in the text format of Prometheus. */

type Labels = Readonly<Record<string, string>>

/** Something that can be shown at `/metrics`. */
interface Metric {
  text(): string
}

/** Counts by the values of its labels, which must be few and known. */
export class Counter implements Metric {
  readonly #name: string
  readonly #help: string
  readonly #counts = new Map<string, number>()

  constructor(name: string, help: string) {
    this.#name = name
    this.#help = help
  }

  add(labels: Labels = {}, count = 1): void {
    const text = labelText(labels)
    this.#counts.set(text, (this.#counts.get(text) ?? 0) + count)
  }

  text(): string {
    const lines = Array.from(this.#counts, ([labels, count]) => `${this.#name}${labels} ${count}\n`)
    return head(this.#name, this.#help, 'counter') + lines.join('')
  }
}

interface Series {
  readonly labels: Labels
  /** One per bound, and one beyond all; not cumulative. */
  readonly counts: number[]
  sum: number
}

export class Histogram implements Metric {
  readonly #name: string
  readonly #help: string
  readonly #bounds: readonly number[]
  readonly #series = new Map<string, Series>()

  /** @param bounds Upper ones of the buckets, in ascending order. */
  constructor(name: string, help: string, bounds: readonly number[]) {
    this.#name = name
    this.#help = help
    this.#bounds = bounds
  }

  observe(value: number, labels: Labels = {}): void {
    const name = labelText(labels)
    const counts = () => Array.from({ length: this.#bounds.length + 1 }, () => 0)
    const series = this.#series.get(name) ?? { labels, counts: counts(), sum: 0 }
    this.#series.set(name, series)
    const at = this.#bounds.findIndex((bound) => value <= bound)
    series.counts[at === -1 ? this.#bounds.length : at]!++
    series.sum += value
  }

  text(): string {
    const series = [...this.#series.values()].map((each) => this.#seriesText(each))
    return head(this.#name, this.#help, 'histogram') + series.join('')
  }

  #seriesText({ labels, counts, sum }: Series): string {
    let total = 0
    const buckets = counts.map((count, i) => {
      total += count
      const le = i < this.#bounds.length ? String(this.#bounds[i]) : '+Inf'
      return `${this.#name}_bucket${labelText({ ...labels, le })} ${total}\n`
    })
    const own = labelText(labels)
    return `${buckets.join('')}${this.#name}_sum${own} ${sum}\n${this.#name}_count${own} ${total}\n`
  }
}

function head(name: string, help: string, type: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
