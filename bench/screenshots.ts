import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import type { Browser } from 'playwright-core'
import sharp from 'sharp'
import { launchBrowser, settled } from './dashboard/browser.ts'
import { openView } from './dashboard/open-view.ts'
import { themes } from './dashboard/plan.ts'
import { sectionViews, type View, viewsOf } from './dashboard/views.ts'
import { startEmpty, startShowcase } from './showcase/start-showcase.ts'

/**
 * `node bench/screenshots.ts [--only TEXT] [--to DIRECTORY] [--whole]`: takes pictures of every dashboard view on a
 * comparator with a history, in both themes, wide and narrow, into docs/screenshots. The moment shown is fixed, so the
 * pictures are reproducible. `--only` selects views whose names contain a text, or one of several separated by commas.
 * Long pages are cut unless `--whole` is given; a validation's sections have pictures of their own.
 */
const widths = { wide: 1440, narrow: 390 }
const sizes = ['wide', 'narrow'] as const
const coloursMax = 64
const heightMax = { wide: 1500, narrow: 1400 }

type Box = Record<'x' | 'y' | 'width' | 'height', number>
/** Position of a part on the unscrolled page, so that nothing fixed to the window's edge covers it. */
const boxOf = `((part, pad) => {
  const { x, y, width, height } = document.querySelector(part).getBoundingClientRect()
  return pad === 0 ? { x: 0, y, width: innerWidth, height } : { x: x - pad, y: y - pad, width: width + 2 * pad, height: height + 2 * pad }
})`

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, to: { type: 'string' }, whole: { type: 'boolean' } },
})
const target = values.to ?? join(import.meta.dirname, '../docs/screenshots')
const progress = (line: string) => process.stderr.write(`${line}\n`)

const directory = mkdtempSync(join(tmpdir(), 'understudy-screenshots-'))
process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
progress('telling nine days of a story…')
const comparators = { showcase: await startShowcase(directory), empty: await startEmpty(directory) }
const browser = await launchBrowser()
try {
  const views = [...(await viewsOf(comparators.showcase.url)), ...sectionViews()].filter(({ name }) =>
    values.only.split(',').some((text) => name.includes(text)),
  )
  mkdirSync(target, { recursive: true })
  const written = new Set<string>()
  let bytes = 0
  for (const view of views) {
    for (const theme of themes) {
      for (const size of sizes) {
        const file = join(target, `${view.name}-${theme}-${size}.png`)
        const picture = sharp(await takePicture(browser, view, theme, widths[size]))
        const { width, height } = await picture.metadata()
        const isWhole = values.whole || view.part?.startsWith('section')
        const shown = isWhole ? height : Math.min(height, heightMax[size])
        await picture
          .extract({ left: 0, top: 0, width, height: shown })
          .png({ palette: true, colours: coloursMax, effort: 10, dither: 0, compressionLevel: 9 })
          .toFile(file)
        bytes += statSync(file).size
        written.add(basename(file))
      }
    }
    progress(view.name)
  }
  // deleted at the end, so that an interrupted run loses nothing
  const stale =
    values.only === '' ? readdirSync(target).filter((name) => name.endsWith('.png') && !written.has(name)) : []
  for (const name of stale) rmSync(join(target, name))
  progress(`wrote ${views.length * 4} pictures, ${(bytes / 1e6).toFixed(1)} MB, to ${relative(process.cwd(), target)}`)
} finally {
  await browser.close()
  await Promise.all(Object.values(comparators).map((comparator) => comparator.stop()))
}

async function takePicture(browser: Browser, view: View, colorScheme: (typeof themes)[number], width: number) {
  const { url } = comparators[view.on]
  const isMobile = width < 1000
  const viewport = { width, height: isMobile ? 844 : 900 }
  const context = await browser.newContext({
    colorScheme,
    reducedMotion: 'reduce',
    viewport,
    isMobile,
    locale: 'en-GB',
    timezoneId: 'UTC',
  })
  try {
    const page = await openView(context, url, view)
    // scrolls through the page, because some parts are drawn only when visible
    await page.evaluate(`(async () => {
      for (let y = 0; y < document.documentElement.scrollHeight; y += 600) {
        scrollTo(0, y)
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      }
      scrollTo(0, 0)
    })()`)
    await settled(page)
    await page.evaluate('Promise.all([...document.images].map((image) => image.decode().catch(() => {})))')
    await view.act?.(page)
    const how = { animations: 'disabled', caret: 'hide' } as const
    if (view.part) {
      const clip = await page.evaluate<Box>(`${boxOf}(${JSON.stringify(view.part)}, ${isMobile ? 0 : 24})`)
      return await page.screenshot({ ...how, fullPage: true, clip })
    }
    return await page.screenshot({ ...how, fullPage: view.act === undefined })
  } finally {
    await context.close()
  }
}
