/** Files as people have them, and as nobody should: what pages of folders and reports show. */

export const REPORT = `# Sales of *November*

Totals by region, from [the source](https://example.com/data). See also www.example.com.

| Region | Orders | Revenue |
|:-------|-------:|--------:|
| North  |  1,204 | € 88,120.00 |
| South  |    967 | € 61,940.50 |

## Still to do

- [x] fetch the orders
- [ ] check \`refunds\`
  - those of *October* too

> Figures before audit.

\`\`\`sql
select region, count(*), sum(total) from orders where placed_at >= '2026-11-01' group by region order by 2 desc
\`\`\`

<script>document.title = 'ran'</script>

1. First[^1]
2. ~~Second~~

[^1]: A note.
`

/** Texts by their paths. */
export const FILES: Readonly<Record<string, string>> = {
  'output/2026/november/deep.txt': 'deep',
  'output/été 日本.csv': 'a,b\n1,2\n',
  'output/<img src=x onerror=alert(1)>.txt': 'x',
  [`output/"quoted" & 'more'.txt`]: 'x',
  'output/invoice\u202efdp.exe': 'x',
  'output/שלום.txt': 'x',
  [`output/${'a-very-long-name-'.repeat(9)}.json`]: 'x'.repeat(123_456),
  'output/report.md': REPORT,
  'output/rows.csv': 'x'.repeat(1_234_567),
  'output/chart.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
}

/** Those of `output` as a page lists them. */
export const LISTED = [
  '2026',
  `"quoted" & 'more'.txt`,
  '<img src=x onerror=alert(1)>.txt',
  `${'a-very-long-name-'.repeat(9)}.json`,
  'chart.svg',
  'invoice\ufffdfdp.exe',
  'report.md',
  'rows.csv',
  'été 日本.csv',
  'שלום.txt',
]
