import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

/** What all jobs may import: the running comparator, the error catalogue, models. */
const forJobs = [
  'comparator/jobs',
  'comparator/store',
  'comparator/promotion',
  'comparator/gate',
  'comparator/metrics',
  'comparator/compare',
  'comparator/config.ts',
  'runtime',
  'vocabulary',
]
const jobs = ['', '/intake', '/gate', '/promotion', '/views'].map((folder) => `comparator/jobs${folder}`)

/** Maps each area to the areas it may import from. An area is the longest matching path prefix. */
const allowed: Record<string, string[]> = {
  vocabulary: [],
  runtime: ['vocabulary'],
  mirror: ['runtime', 'vocabulary'],
  'candidate-server': ['runtime', 'vocabulary'],
  'comparator/statistics': ['vocabulary'],
  'comparator/compare': ['comparator/statistics', 'vocabulary'],
  'comparator/metrics': ['comparator/compare', 'comparator/statistics', 'vocabulary'],
  'comparator/gate': ['comparator/metrics', 'comparator/statistics', 'vocabulary'],
  'comparator/promotion': ['comparator/gate', 'vocabulary'],
  'comparator/config': ['comparator/metrics', 'runtime', 'vocabulary'],
  'comparator/config.ts': ['comparator/config', 'runtime', 'vocabulary'],
  // rollups have the metrics' shapes (types only, see below), and histograms merge as in statistics
  'comparator/store': ['comparator/metrics', 'comparator/statistics', 'runtime', 'vocabulary'],
  'comparator/jobs/intake': forJobs,
  'comparator/jobs/gate': [...forJobs, 'comparator/jobs/intake'],
  'comparator/jobs/promotion': [...forJobs, 'comparator/jobs/gate'],
  'comparator/jobs/views': [...forJobs, 'comparator/jobs/intake', 'comparator/jobs/gate'],
  // expiry concerns all of them
  'comparator/jobs': [...forJobs, 'comparator/jobs/intake', 'comparator/jobs/views'],
  'comparator/api': [
    // the dossier draws with the dashboard's own charts
    'comparator/dashboard',
    ...jobs,
    'comparator/store',
    'comparator/promotion',
    'comparator/config.ts',
    'runtime',
    'vocabulary',
  ],
  comparator: ['comparator/api', ...jobs, 'comparator/store', 'comparator/config.ts', 'runtime', 'vocabulary'],
  'comparator/dashboard': ['vocabulary'],
  migrations: [],
  cli: [
    'mirror',
    'candidate-server',
    'comparator',
    // `config try` reads saved answers in the same way as an observation's
    'comparator/compare',
    'comparator/config.ts',
    'comparator/store',
    'runtime',
    'vocabulary',
  ],
}
const outside = ['test', 'bench', 'deploy']
const areas = [...Object.keys(allowed), ...outside].sort((a, b) => b.length - a.length)

const areaOf = (file: string) => areas.find((area) => file === area || file.startsWith(`${area}/`)) ?? dirname(file)

function sourceFiles(folder = root): string[] {
  return readdirSync(folder).flatMap((name) => {
    if (name === 'node_modules' || name === 'dist' || name === 'data' || name.startsWith('.')) return []
    const path = join(folder, name)
    if (statSync(path).isDirectory()) return sourceFiles(path)
    return /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name) ? [path] : []
  })
}

interface Import {
  from: string
  to: string
  typeOnly: boolean
}

const importPattern =
  /(?:^|\n)\s*(?:import|export)\s(type\s)?(?:[^'"]*?\bfrom\s)?['"](\.[^'"]+)['"]|import\(\s*['"](\.[^'"]+)['"]/g

function importsOf(path: string): Import[] {
  const found: Import[] = []
  for (const match of readFileSync(path, 'utf8').matchAll(importPattern)) {
    const target = join(dirname(path), (match[2] ?? match[3])!)
    const to = relative(root, target)
    if (to !== 'package.json') found.push({ from: relative(root, path), to, typeOnly: match[1] !== undefined })
  }
  return found
}

const imports = sourceFiles().flatMap(importsOf)

/** What is left of the arrows once those to a place without arrows of its own are removed, again and again. */
function inCircles<Arrow extends { from: string; to: string }>(arrows: readonly Arrow[]): readonly Arrow[] {
  const starts = new Set(arrows.map(({ from }) => from))
  const left = arrows.filter(({ to }) => starts.has(to))
  return left.length < arrows.length ? inCircles(left) : left
}

describe('imports go one way', () => {
  test('the test sees the imports', () => {
    expect(imports.length).toBeGreaterThan(200)
    expect(imports).toContainEqual({ from: 'comparator/server.ts', to: 'comparator/api/app.ts', typeOnly: false })
    expect(imports).toContainEqual({ from: 'cli/mirror.ts', to: 'mirror/main.ts', typeOnly: false })
  })

  test('every import follows the design', () => {
    const wrong = imports.filter(({ from, to }) => {
      const [here, there] = [areaOf(from), areaOf(to)]
      return here !== there && !outside.includes(here) && !allowed[here]?.includes(there)
    })
    expect(wrong).toEqual([])
  })

  test('nothing imports test, bench or deploy', () => {
    const wrong = imports.filter(
      ({ from, to }) => outside.includes(areaOf(to)) && areaOf(from) !== areaOf(to) && areaOf(from) !== 'test',
    )
    expect(wrong).toEqual([])
  })

  test('the store takes only types from the metrics', () => {
    const wrong = imports.filter(
      ({ from, to, typeOnly }) =>
        areaOf(from) === 'comparator/store' && areaOf(to) === 'comparator/metrics' && !typeOnly,
    )
    expect(wrong).toEqual([])
  })

  test('no file imports itself indirectly', () => {
    expect(inCircles(imports)).toEqual([])
  })

  test.each([
    ['mirror', 200],
    ['candidate-server', 100],
    ['comparator/dashboard/src', 100],
    ['comparator/metrics', 40],
    ['comparator/store', 40],
  ])('nor does a folder of %s', (area, arrowsMin) => {
    // config.ts and config/ are one place
    const folderOf = (file: string) => new RegExp(`^${area}/[^/]+?(?=/|\\.tsx?$)`).exec(file)?.[0]
    const between = imports.flatMap(({ from, to }) => {
      const [here, there] = [folderOf(from), folderOf(to)]
      return here && there && here !== there ? [{ from: here, to: there }] : []
    })
    expect(between.length).toBeGreaterThan(arrowsMin)
    expect(inCircles(between)).toEqual([])
  })

  test('what the folders of the metrics share imports none of them', () => {
    const isShared = (file: string) => dirname(file) === 'comparator/metrics' && !file.endsWith('.fixture.ts')
    const wrong = imports.filter(
      ({ from, to }) => isShared(from) && to.startsWith('comparator/metrics/') && !isShared(to),
    )
    expect(wrong).toEqual([])
  })

  test('the views of the API rest on the words that services share, which know none of them', () => {
    const views = 'vocabulary/api/'
    const readers = imports.filter(({ to }) => to.startsWith(views)).map(({ from }) => from)
    expect(readers.length).toBeGreaterThan(100)
    expect(readers.filter((from) => !/^(comparator|cli|test|bench|vocabulary\/api)\//.test(from))).toEqual([])
  })

  // it would be 10 % of the page, unused by any browser
  test("the dashboard's page carries no schema library", () => {
    const page = new Set(['comparator/dashboard/src/main.tsx'])
    for (const file of page) {
      for (const { from, to, typeOnly } of imports) if (from === file && !typeOnly) page.add(to)
    }
    expect(page).toContain('vocabulary/leg.ts')
    const isSchema = (file: string) =>
      /^import (?!type )[^'"]*['"]typebox/m.test(readFileSync(join(root, file), 'utf8'))
    expect(isSchema('comparator/api/promotion-routes.ts')).toBe(true)
    expect([...page].filter((file) => /\.tsx?$/.test(file) && isSchema(file))).toEqual([])
  })
})
