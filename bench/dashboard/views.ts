import type { Page } from 'playwright-core'
import type { PromotionRecords } from '../../vocabulary/api/promotion-record.ts'
import { call } from '../showcase/call.ts'
import { type Person, tokens } from '../showcase/people.ts'
import { worstOf } from './browser.ts'

export interface View {
  name: string
  /** A comparator on its first day, or one with a history. */
  on: 'showcase' | 'empty'
  as: Person | null
  /** Path after the comparator's URL. */
  path: string
  /** CSS selector of the part shown in the picture; by default the page from its top. */
  part?: string
  /** Actions to perform before the picture is taken. */
  act?: (page: Page) => Promise<void>
}

const view = (name: string, path: string, as: Person | null = 'ana', act?: View['act']): View => ({
  name,
  on: 'showcase',
  as,
  path,
  ...(act && { act }),
})

const sectionNamed = (heading: string) => `section[aria-labelledby=${heading}]`
/** Sections under a validation's verdict, by heading id, each on the validation where it shows the most. */
const sections = [
  ...['checks', 'funnel', 'over-time', 'latency', 'accuracy', 'slices', 'disagreements', 'policy'].map(
    (heading) => [heading, heading, 'digits-int8'] as const,
  ),
  ['outputs-classes', 'outputs', 'digits-int8'],
  ['outputs-numbers', 'outputs', 'price-student'],
  ['outputs-boxes', 'outputs', 'doorway-detector'],
  ['outputs-text', 'outputs', 'summary-small'],
  ['outputs-fields', 'outputs', 'invoice-fields'],
] as const

/** Parts of the pages in `viewsOf`, section by section: what lies below a validation's first screen. */
export function sectionViews(): View[] {
  return sections.map(([name, heading, validation]) => ({
    ...view(`section-${name}`, `#/validations/${validation}`),
    part: sectionNamed(heading),
  }))
}

/** Every view of the dashboard in each of its states. */
export async function viewsOf(url: string): Promise<View[]> {
  const worst = (validation: string) => worstOf(url, tokens.vic, validation)
  const { promotions } = await call<PromotionRecords>(
    url,
    'GET',
    '/v1/promotions?validation=invoice-fields',
    tokens.vic,
  )
  const observed = [
    'digits-int8',
    'price-student',
    'doorway-detector',
    'summary-small',
    'invoice-fields',
    'search-embedding',
  ]
  const observations = await Promise.all(observed.map(worst))
  const kinds = ['classes', 'number', 'boxes', 'text', 'fields', 'vector']
  return [
    view('sign-in', '', null),
    { ...view('first-run', '#/'), on: 'empty' },
    view('overview', '#/'),
    view('mirrors', '#/mirrors'),
    view('validation-asked', '#/validations/digits-int8', 'ben'),
    view('validation-rolling-out', '#/validations/price-student'),
    view('validation-failed', '#/validations/doorway-detector'),
    view('validation-inconclusive', '#/validations/summary-small', 'vic'),
    view('validation-promoted', '#/validations/invoice-fields'),
    view('validation-overridden', '#/validations/payment-tree'),
    view('validation-gathering', '#/validations/search-embedding'),
    view('validation-quiet', '#/validations/delay-forest'),
    view('validation-empty', '#/validations/parcel-next'),
    {
      ...view('validation-slice', '#/validations/digits-int8?slice=tenant%3Dharbour&metric=agreement'),
      part: '.evidence-page',
    },
    { ...view('validation-output', '#/validations/invoice-fields?output=total'), part: sectionNamed('outputs') },
    view('observations', '#/validations/digits-int8/observations'),
    ...observations.map((id, k) => view(`observation-${kinds[k]}`, `#/observations/${id}`)),
    view('audit', '#/audit'),
    view('dossier', `v1/promotions/${promotions[0]!.id}/dossier?format=html`),
    view('roll-back', '#/validations/price-student', 'ana', async (page) => {
      await page.getByTestId('promotion').getByRole('button', { name: 'Roll back' }).click()
      await page.getByRole('dialog').waitFor()
    }),
    view('override', '#/validations/doorway-detector', 'ruth', async (page) => {
      await page.getByRole('button', { name: 'Promote against the gate…' }).click()
      await page.getByRole('dialog').waitFor()
    }),
    view('no-such-page', '#/nowhere'),
  ]
}
