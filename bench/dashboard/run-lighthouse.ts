import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import type { Children } from '../processes/children.ts'
import { browserFlags, chromiumPath } from './browser.ts'
import { lighthouseVersion } from './plan.ts'

/** `mobile`: a mid-range phone on slow 4G, as Lighthouse simulates it; `desktop`: a wired computer. */
export const devices = ['desktop', 'mobile'] as const
export type Device = (typeof devices)[number]

export interface LighthouseScores {
  /** 0 to 100. */
  performance: number
  accessibility: number
  /** Failed accessibility audits, by id. */
  failed: string[]
  /** In milliseconds, except for the layout shift. */
  firstContentfulPaint: number
  largestContentfulPaint: number
  totalBlockingTime: number
  layoutShift: number
}

/** One run, signed in with this cookie. Lighthouse runs through npx at a fixed version; it is not a dependency. */
export async function runLighthouse(
  children: Children,
  directory: string,
  page: { name: string; url: string; cookie: string },
  device: Device,
): Promise<LighthouseScores> {
  const name = `lighthouse-${page.name}-${device}`
  const output = join(directory, `${name}.json`)
  const child = children.start({
    name,
    command: 'npx',
    args: [
      '--yes',
      `lighthouse@${lighthouseVersion}`,
      page.url,
      '--quiet',
      '--output=json',
      `--output-path=${output}`,
      '--only-categories=performance,accessibility',
      `--extra-headers=${JSON.stringify({ Cookie: page.cookie })}`,
      `--chrome-flags=--headless=new ${browserFlags.join(' ')}`,
      ...(device === 'desktop' ? ['--preset=desktop'] : []),
    ],
    cpus: undefined,
    env: {
      CHROME_PATH: chromiumPath(),
      // uses the Node that runs this process, not the first one on the path
      PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
    },
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) children.assertRunning(child, name)
  return read(JSON.parse(readFileSync(output, 'utf8')))
}

/** The parts of the report that are used. */
interface Report {
  categories: Record<'performance' | 'accessibility', { score: number; auditRefs: { id: string; weight: number }[] }>
  audits: Record<string, { score: number | null; numericValue: number }>
}

function read({ categories, audits }: Report): LighthouseScores {
  const numberOf = (id: string): number => audits[id]!.numericValue
  const score = (of: keyof Report['categories']) => Math.round(100 * categories[of].score)
  return {
    performance: score('performance'),
    accessibility: score('accessibility'),
    failed: categories.accessibility.auditRefs
      .filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 1)
      .map(({ id }) => id),
    firstContentfulPaint: numberOf('first-contentful-paint'),
    largestContentfulPaint: numberOf('largest-contentful-paint'),
    totalBlockingTime: numberOf('total-blocking-time'),
    layoutShift: numberOf('cumulative-layout-shift'),
  }
}
