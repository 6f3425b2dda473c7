import type { Browser } from 'playwright-core'
import { axeViolations } from './axe-violations.ts'
import { openView } from './open-view.ts'
import { themes } from './plan.ts'
import type { View } from './views.ts'

export interface AxeFindings {
  /** Pages checked: views × themes × widths. */
  pages: number
  /** One line per violation. */
  violations: string[]
}

/** Checks every view in both themes against WCAG 2.2 AA and axe-core's best practices. */
export async function checkWithAxe(
  browser: Browser,
  urls: Record<View['on'], string>,
  views: readonly View[],
  widths: readonly number[],
): Promise<AxeFindings> {
  const violations: string[] = []
  let pages = 0
  for (const colorScheme of themes) {
    for (const width of widths) {
      for (const view of views) {
        const url = urls[view.on]
        // axe measures contrast, which is lower while an element fades in
        const viewport = { width, height: 900 }
        const context = await browser.newContext({ colorScheme, viewport, reducedMotion: 'reduce' })
        try {
          const page = await openView(context, url, view)
          await view.act?.(page)
          const found = await axeViolations(page)
          pages++
          for (const { id, nodes } of found) {
            violations.push(`${view.name}, ${colorScheme}, ${width} px: ${id} (${nodes.length}): ${nodes[0]?.html}`)
          }
        } finally {
          await context.close()
        }
      }
    }
  }
  return { pages, violations }
}
