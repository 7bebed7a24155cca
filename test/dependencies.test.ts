/** Every package we depend on is known, has its reason, and may be used as it is. */
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')

interface Package {
  readonly license?: unknown
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly hasInstallScript?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly allowScripts?: Readonly<Record<string, boolean>>
}

interface Lock {
  readonly packages: Readonly<Record<string, Package>>
}

const readJson = <T>(path: string) => JSON.parse(readFileSync(resolve(ROOT, path), 'utf8')) as T

const own = readJson<Package>('package.json')
const page = readFileSync(resolve(ROOT, 'DEPENDENCIES.md'), 'utf8')

const DEPLOYABLE = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Apache-2.0']
/** For what only builds and tests. */
const USABLE = [
  ...DEPLOYABLE,
  'BlueOak-1.0.0',
  'CC0-1.0',
  'LGPL-3.0-or-later',
  'MPL-2.0',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
]
/** Whose license field is no identifier, and what their license file says. */
const READ_BY_HAND: Readonly<Record<string, string>> = {
  '@modelcontextprotocol/inspector': 'MIT and Apache-2.0',
  reserved: 'MIT',
}

interface Row {
  readonly name: string
  readonly license: string
  readonly brings: number
  readonly reason: string
}

function rowsOf(section: string): Row[] {
  const text = page.split(/^## /m).find((part) => part.startsWith(section)) ?? ''
  const rows = text.matchAll(/^- `([^`]+)` \(([^()]+), \+(\d+)\) — (.+(?:\n {2}.+)*)$/gm)
  return [...rows].map(([, name, license, brings, reason]) => ({
    name: name!,
    license: license!,
    brings: Number(brings),
    reason: reason!,
  }))
}

const deployed = rowsOf('What is deployed')

/** The repository's own packages, and those that only a command installs. */
const FOLDERS = [
  { folder: '.', rows: [...deployed, ...rowsOf('What builds and tests it')] },
  { folder: 'infra/check', rows: rowsOf('What only `npm run check` needs') },
  { folder: 'test/all', rows: rowsOf('What only `npm run test:all` needs') },
].map(({ folder, rows }) => {
  const { dependencies, devDependencies } = readJson<Package>(`${folder}/package.json`)
  const { packages: locked } = readJson<Lock>(`${folder}/package-lock.json`)
  return { folder, rows, direct: { ...dependencies, ...devDependencies }, locked }
})
const { direct, locked } = FOLDERS[0]!

const nameOf = (location: string) => location.slice(location.lastIndexOf('node_modules/') + 13)

const licenseOf = (all: Lock['packages'], location: string): string =>
  READ_BY_HAND[nameOf(location)] ?? String(all[location]!.license)

/** One of several to choose from is enough. */
const isAmong = (allowed: readonly string[]) => (license: string) =>
  license
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(/ and | AND /).every((each) => allowed.includes(each)))

/** Where a package finds another: in its own folder, then in those around it. */
function located(all: Lock['packages'], from: string, name: string): string | undefined {
  const folders = from.split('/node_modules/').map((_, i, parts) => parts.slice(0, i + 1))
  const places = ['', ...folders.map((parts) => `${parts.join('/node_modules/')}/`)]
  return places.map((place) => `${place}node_modules/${name}`).findLast((place) => all[place])
}

function broughtBy(all: Lock['packages'], name: string): number {
  const start = `node_modules/${name}`
  const seen = new Set<string>([start])
  for (const location of seen) {
    const { dependencies, optionalDependencies } = all[location]!
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const found = located(all, location, needed)
      if (found) seen.add(found)
    }
  }
  return seen.size - 1
}

let found: Promise<string[]> | undefined

/** The packages whose code is in what deploys. */
function bundledPackages(): Promise<string[]> {
  found ??= findBundled()
  return found
}

async function findBundled(): Promise<string[]> {
  const entries = readdirSync(resolve(ROOT, 'src/entry')).filter((file) =>
    ['workers.ts', 'workers-s3.ts', 'lambda.ts', 'node.ts', 'cli.ts'].includes(file),
  )
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [
      ...entries.map((file) => `src/entry/${file}`),
      // What browsers get.
      'src/site/workbench/main.ts',
    ],
    loader: { '.lua': 'text' },
    outdir: 'dist',
    write: false,
    metafile: true,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    mainFields: ['module', 'main'],
    external: ['*.wasm', 'cloudflare:*'],
    logLevel: 'error',
  })
  const inside = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? path : [])),
  )
  const locations = inside.flatMap(
    (path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [],
  )
  return [...new Set(locations)].sort()
}

describe('DEPENDENCIES.md', () => {
  it.each(FOLDERS)('lists every direct dependency of $folder once', ({ rows, direct: wanted }) => {
    expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(wanted).sort())
  })

  it.each(FOLDERS)('knows licences in $folder, and what each brings', ({ rows, locked: all }) => {
    expect(rows.map(({ name, license, brings }) => [name, license, brings])).toEqual(
      rows.map(({ name }) => [name, licenseOf(all, `node_modules/${name}`), broughtBy(all, name)]),
    )
  })

  it('has a reason for each', () => {
    const all = FOLDERS.flatMap(({ rows }) => rows)
    // A line that cannot be read would be a package without one.
    expect(page.match(/^- `/gm)).toHaveLength(all.length)
    expect(all.filter(({ reason }) => reason.length < 10)).toEqual([])
  })

  it('says which of them are deployed', async () => {
    const bundled = (await bundledPackages()).map(nameOf).filter((name) => name in direct)
    // Its binary becomes lua.wasm, which no bundler follows.
    const shipped = [...bundled, 'wasmoon'].sort()
    expect(deployed.map(({ name }) => name).sort()).toEqual(shipped)
    expect(Object.keys(own.dependencies!).sort()).toEqual(shipped)
  })
})

describe('licences', () => {
  it('of everything that is deployed are in the allow-list', async () => {
    const bundled = [...(await bundledPackages()), 'node_modules/wasmoon']
    expect(bundled.length).toBeGreaterThan(10)
    expect(unusual(DEPLOYABLE, locked, bundled)).toEqual([])
  })

  it.each(FOLDERS)('of everything that is locked in $folder are known', ({ locked: all }) => {
    const locations = Object.keys(all).filter((location) => location !== '')
    expect(locations.length).toBeGreaterThan(10)
    expect(unusual(USABLE, all, locations)).toEqual([])
  })
})

/** Packages whose licence is not allowed, with the licence. */
function unusual(allowed: readonly string[], all: Lock['packages'], locations: readonly string[]) {
  const licences = locations.map((location) => [location, licenseOf(all, location)] as const)
  return licences.filter(([, licence]) => !isAmong(allowed)(licence))
}

describe.each(FOLDERS)('package-lock.json in $folder', ({ direct: wanted, locked: all }) => {
  it('pins every direct dependency to one exact version', () => {
    for (const [name, version] of Object.entries(wanted)) {
      expect([name, version]).toEqual([name, expect.stringMatching(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/)])
      expect([name, all[`node_modules/${name}`]?.version]).toEqual([name, version])
    }
  })

  it('takes every package from the registry, by its hash', () => {
    // Which registry is the installer's to say; another place would stand in the file.
    const odd = Object.entries(all).filter(
      ([location, { resolved, integrity = '' }]) =>
        location !== '' && (resolved !== undefined || !integrity.startsWith('sha512-')),
    )
    expect(odd.map(([location]) => location)).toEqual([])
  })
})

describe('install scripts', () => {
  it('are decided on', () => {
    const scripted = Object.entries(locked).flatMap(([location, { hasInstallScript }]) =>
      hasInstallScript ? nameOf(location) : [],
    )
    const decided = Object.keys(own.allowScripts ?? {})
    const undecided = scripted.filter((name) => !decided.includes(name) && name !== 'fsevents')
    expect(undecided).toEqual([])
    const allowed = Object.entries(own.allowScripts ?? {}).filter(([, isAllowed]) => isAllowed)
    expect(allowed).toEqual([['node', true]])
  })
})
