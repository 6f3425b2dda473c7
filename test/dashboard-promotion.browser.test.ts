import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from './support/browser.ts'
import { classification, startTestComparator, type TestComparator, tokens } from './support/comparator.ts'
import { pageFindings } from './support/page-findings.ts'
import { evidence, promoting } from './support/promotions.ts'

let comparator: TestComparator
let browser: Browser
const problems: string[] = []
const { act, gateOf, promote, stateOf } = promoting(() => comparator)

beforeAll(async () => {
  const slow = { steps: [10, 100], stepDuration: '60s' }
  comparator = await startTestComparator([
    { ...classification, name: 'pair', approvals: 2, rollout: slow },
    { ...classification, name: 'others', requesterApproves: false, rollout: slow },
    { ...classification, name: 'turning', rollout: slow },
    { ...classification, name: 'outdated', approvals: 2, rollout: slow },
    { ...classification, name: 'forced', rollout: slow },
    { ...classification, name: 'asked', requesterApproves: false, rollout: slow },
    { ...classification, name: 'keys', rollout: slow },
    {
      ...classification,
      name: 'form',
      output: { ...classification.output, primary: { scores: '/predictions' }, candidate: { scores: '/scores' } },
      rollout: slow,
    },
  ])
  for (const name of ['pair', 'others', 'turning', 'keys']) await comparator.post(evidence(name, { wrong: 0.01 }))
  for (const name of ['forced', 'asked']) await comparator.post(evidence(name, { wrong: 0.4 }))
  await comparator.post(evidence('outdated', { until: Date.now() - 120_000 }))
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await comparator?.close()
})

/** A person signed in with their own browser. */
async function person(token: string, path = '#/', width = 1280): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, reducedMotion: 'reduce' })
  const page = await context.newPage()
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) problems.push(message.text())
  })
  await page.goto(`${comparator.url}/${path}`)
  await page.getByLabel('Access token').fill(token)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  return page
}

const panelOf = (page: Page) => page.getByTestId('promotion')

test('two people: one requests, the other approves, it rolls out, and is rolled back from the overview', async () => {
  const ana = await person(tokens.approver, '#/validations/pair')
  const ben = await person(tokens.second, '#/validations/pair')

  await panelOf(ana).getByLabel('Comment').fill('a week of evidence')
  await ana.getByRole('button', { name: 'Request promotion' }).click()
  await panelOf(ana).getByText('You have approved; 1 more approval from someone else is needed.').waitFor()
  expect(await ana.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true)

  // appears on the other person's page without a reload, with its comment beside the buttons
  await panelOf(ben).getByRole('heading', { name: 'A promotion awaits approval' }).waitFor()
  await panelOf(ben).locator('blockquote').getByText('a week of evidence').waitFor()
  expect(await ben.getByTestId('approvals').textContent()).toBe('1 of 2 approvals, 1 missing')
  const signed = await ben.getByTestId('signed-evaluation').locator('code').getAttribute('title')
  await panelOf(ben).getByLabel('Comment').fill('agreed')
  await ben.getByRole('button', { name: 'Approve' }).click()
  await panelOf(ben).getByRole('heading', { name: 'Rolling out' }).waitFor()
  const { promotion } = await stateOf('pair')
  expect(promotion).toMatchObject({ state: 'rollingOut', livePercent: 10, approvals: [{ by: 'ana' }, { by: 'ben' }] })
  const { body: dossier } = await comparator.call('GET', `/v1/promotions/${promotion.id}/dossier`, {
    token: tokens.viewer,
  })
  expect(dossier.approvals[1]).toMatchObject({ by: 'ben', gateId: signed, comment: 'agreed' })

  // anyone on any page sees that it is live and can roll it back
  await panelOf(ana).getByTestId('live-gate').waitFor()
  await ana
    .getByRole('link', { name: /Overview|Validations/ })
    .first()
    .click()
  const strip = ana.getByTestId('live-strip')
  await strip.getByText(/answers 10\s% of live traffic/).waitFor()
  // the question is open as soon as it is there, for a key that is pressed at once
  await ana.evaluate(`void new MutationObserver((_changes, observer) => {
    const dialog = document.querySelector('dialog')
    if (!dialog) return
    observer.disconnect()
    globalThis.wasOpen = dialog.open
  }).observe(document.body, { childList: true, subtree: true })`)
  await strip.getByRole('button', { name: 'Roll back pair' }).click()
  expect(await ana.evaluate('wasOpen')).toBe(true)
  await ana.getByRole('dialog').getByLabel('Comment').fill('enough for today')
  await ana.getByRole('dialog').getByRole('button', { name: 'Confirm rollback' }).click()
  await strip.waitFor({ state: 'detached' })
  const outcome = ana.getByText('pair is rolled back: the primary answers.')
  expect(await outcome.boundingBox()).toMatchObject({ height: expect.closeTo(20, -1) })
  await ana.getByRole('button', { name: 'Dismiss' }).click()
  expect(await outcome.count()).toBe(0)
  expect(await stateOf('pair')).toMatchObject({ state: 'rolledBack', livePercent: 0 })

  const past = ben.getByTestId('past-promotions')
  await past.locator('summary').click()
  await past.getByText('Rolled back', { exact: true }).waitFor()
  await past.getByText('enough for today').waitFor()
  await past.getByText('Approved by ben.').waitFor()
  await ana.close()
  await ben.close()
})

test('the note that it was rolled back appears where it was done, and only as long as it is true', async () => {
  const takeBack = async (page: Page) => {
    await promote('turning')
    await page.getByRole('button', { name: 'Roll back turning' }).click()
    await page.getByRole('button', { name: 'Confirm rollback' }).click()
    await page.getByTestId('live-strip').waitFor({ state: 'detached' })
  }
  const ana = await person(tokens.approver)
  const outcome = ana.getByText('turning is rolled back: the primary answers.')
  await takeBack(ana)
  await outcome.waitFor()
  await promote('turning')
  await ana.getByTestId('live-strip').waitFor()
  await outcome.waitFor({ state: 'detached' })

  const { promotion } = await stateOf('turning')
  await act(promotion.id, 'rollback')
  await ana.getByTestId('live-strip').waitFor({ state: 'detached' })
  expect(await outcome.count()).toBe(0)

  await takeBack(ana)
  await outcome.waitFor()
  await ana.getByRole('link', { name: 'Audit' }).first().click()
  await ana.getByRole('heading', { name: 'Audit', level: 1 }).waitFor()
  await outcome.waitFor({ state: 'detached' })
  await ana.close()
})

test('the approver reads where clients would get answers in another form', async () => {
  const ana = await person(tokens.approver, '#/validations/form')
  await panelOf(ana).getByText('scores at /scores, where the primary has it at /predictions.').waitFor()
  await ana.goto(`${comparator.url}/#/validations/keys`)
  await panelOf(ana).getByRole('button', { name: 'Request promotion' }).waitFor()
  expect(await panelOf(ana).getByText('Clients would get').count()).toBe(0)
  await ana.close()
})

test('the requester cannot approve if others must', async () => {
  await promote('others', { comment: 'please \u202Ekool' })
  const ana = await person(tokens.approver, '#/validations/others')
  await panelOf(ana).getByText('someone else must approve it').waitFor()
  expect(await ana.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true)
  await ana.close()
})

test('nothing in a comment can hide or reverse text, neither where it is answered nor in the audit', async () => {
  const ben = await person(tokens.second, '#/validations/others')
  await panelOf(ben).locator('blockquote').getByText('U+202E').waitFor()
  await ben.route('**/v1/validations/others', async (route) => {
    const response = await route.fetch()
    const body = await response.json()
    const { requestedAt: at } = body.promotion
    await route.fulfill({
      json: { ...body, promotion: { ...body.promotion, approvals: [{ by: 'cleo', at, comment: 'f\u200bine' }] } },
    })
  })
  await ben.getByTestId('approvals').locator('..').getByText('U+200B').waitFor()
  await ben.goto(`${comparator.url}/#/audit`)
  await ben.locator('blockquote').getByText('U+202E').waitFor()
  await ben.close()
})

test('what was written to one request is not signed under another', async () => {
  const ben = await person(tokens.second, '#/validations/others')
  const comment = panelOf(ben).getByLabel('Comment')
  await comment.fill('agreed')
  const signed = ben.getByTestId('signed-evaluation').locator('code')
  const begunWith = (await signed.getAttribute('title'))!
  await comparator.post(evidence('others', { wrong: 0.01 }))
  await expect.poll(async () => (await gateOf('others')).id).not.toBe(begunWith)
  await ben.route('**/v1/validations/others', async (route) => {
    const response = await route.fetch()
    const body = await response.json()
    const another = { id: '0193a7b0-0000-7000-8000-000000000000', comment: 'a newer model' }
    await route.fulfill({ json: { ...body, promotion: { ...body.promotion, ...another } } })
  })
  await panelOf(ben).locator('blockquote').getByText('a newer model').waitFor()
  expect(await comment.inputValue()).toBe('')
  await expect.poll(() => signed.getAttribute('title')).not.toBe(begunWith)
  // the form that was written in has gone, and the keyboard goes on above the new one
  expect(await ben.evaluate('document.activeElement.id')).toBe('promotion')
  await ben.unrouteAll({ behavior: 'wait' })
  await panelOf(ben).locator('blockquote').getByText('kool').waitFor()
  expect(await comment.inputValue()).toBe('agreed')
  await ben.close()
})

test('a gate that changes while someone signs is shown as a difference, and must be confirmed again', async () => {
  const ana = await person(tokens.approver, '#/validations/turning')
  const comment = panelOf(ana).getByLabel('Comment')
  await comment.fill('ready, I think')
  const signed = await ana.getByTestId('signed-evaluation').locator('code').getAttribute('title')

  // more of the same evidence: a new evaluation, but nothing that her decision rests on
  await comparator.post(evidence('turning', { wrong: 0.01 }))
  const response = await ana.waitForResponse(
    async (response) => response.url().endsWith('/turning/gate') && (await response.json()).id !== signed,
  )
  expect((await response.json()).verdict).toBe('pass')
  expect(await ana.getByTestId('signed-evaluation').locator('code').getAttribute('title')).toBe(signed)

  // a different candidate
  await comparator.post(evidence('turning', { seconds: 70, wrong: 0.01, version: '2', until: Date.now() + 2000 }))
  const change = panelOf(ana).getByTestId('gate-change')
  await change.getByText('The gate has changed since you began').waitFor()
  await change.getByText('The candidate is now version 2 (was 1).').waitFor()
  const request = ana.getByRole('button', { name: 'Request promotion' })
  expect(await request.isDisabled()).toBe(true)
  expect(await comment.inputValue()).toBe('ready, I think')

  await change.getByRole('button', { name: /continue with the new evaluation/ }).click()
  await change.waitFor({ state: 'detached' })
  expect(await ana.getByTestId('signed-evaluation').locator('code').getAttribute('title')).not.toBe(signed)

  // after a turn for the worse, it can only be viewed
  await comparator.post(evidence('turning', { seconds: 70, wrong: 0.9, version: '2', until: Date.now() + 75_000 }))
  await change.getByText('The gate has changed since you began').waitFor()
  await change.locator('.check-turned').filter({ hasText: 'agreement' }).getByText('Fail').waitFor()
  expect(await change.getByRole('button').count()).toBe(0)
  expect(await request.isDisabled()).toBe(true)
  await ana.close()
})

test('a request for a model other than the current one is shown with what changed, and closed instead of approved', async () => {
  expect((await promote('outdated', { comment: 'version 1 it is' })).body.state).toBe('requested')
  await comparator.post(evidence('outdated', { version: '2' }))
  const ben = await person(tokens.second, '#/validations/outdated')
  const said =
    'Since the request, the candidate is now version 2 (was 1). Close it and request promotion again on the current gate.'
  await panelOf(ben).getByText(said).waitFor()
  await panelOf(ben).getByTestId('gate-change').getByText('The candidate is now version 2 (was 1).').waitFor()
  expect(await ben.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true)
  expect(await ben.getByRole('button', { name: 'Reject' }).count()).toBe(0)

  await ben.getByRole('button', { name: 'Close the request' }).click()
  await panelOf(ben).getByRole('heading', { name: 'Promotion', exact: true }).waitFor()
  expect(await stateOf('outdated')).toMatchObject({ state: 'observing', promotion: { state: 'aborted' } })
  await ben.close()
})

test('an override needs an admin, the typed name and a reason, and stays marked', async () => {
  const ana = await person(tokens.approver, '#/validations/forced')
  await panelOf(ana).getByText('promotion needs a pass').waitFor()
  expect(await ana.getByRole('button', { name: /against the gate/ }).count()).toBe(0)

  const root = await person(tokens.admin, '#/validations/forced')
  await root.getByRole('button', { name: 'Promote against the gate…' }).click()
  const dialog = root.getByRole('dialog')
  const confirm = dialog.getByRole('button', { name: 'Promote against the gate' })
  expect(await confirm.isDisabled()).toBe(true)
  const sentence = /Agreement on the top label is 0\.\d+ to 0\.\d+, wholly outside the limit \(≥\s0\.9\)\./
  await dialog.getByText(sentence).waitFor()
  await dialog.getByLabel('Reason').fill('the GPUs are gone')
  // the reason belongs to this override, whatever the gate sees until she is back
  const { id } = await gateOf('forced')
  await comparator.post(evidence('forced', { wrong: 0.4 }))
  await expect.poll(async () => (await gateOf('forced')).id).not.toBe(id)
  await root.reload()
  await root.getByRole('button', { name: 'Promote against the gate…' }).click()
  expect(await dialog.getByLabel('Reason').inputValue()).toBe('the GPUs are gone')
  await dialog.getByLabel(/Type forced to confirm/).fill('force')
  expect(await confirm.isDisabled()).toBe(true)
  await dialog.getByLabel(/Type forced to confirm/).fill('forced')
  await confirm.click()
  await ana
    .getByTestId('override-banner')
    .getByText(/Promoted against its gate by root/)
    .waitFor()
  await ana.getByTestId('override-banner').getByText(sentence).waitFor()
  await ana.getByTestId('live-strip').getByText('against the gate', { exact: true }).waitFor()
  await ana.getByTestId('live-strip').getByRole('button', { name: 'Roll back forced' }).click()
  await ana.getByRole('button', { name: 'Confirm rollback' }).click()
  await ana.getByTestId('live-strip').waitFor({ state: 'detached' })
  // permanently
  await ana.reload()
  await ana.getByTestId('override-banner').getByText('the GPUs are gone').waitFor()
  await ana.close()
  await root.close()
})

test('a role without rights sees everything and is offered nothing', async () => {
  await promote('pair', { comment: 'once more' })
  const vic = await person(tokens.viewer, '#/validations/pair')
  await panelOf(vic).getByText('Only an approver can approve or reject it; your role is viewer.').waitFor()
  for (const name of ['Approve', 'Reject', 'Promote against the gate…']) {
    expect(await vic.getByRole('button', { name }).count(), name).toBe(0)
  }
  await vic.goto(`${comparator.url}/#/validations/asked`)
  await panelOf(vic).getByText('Only an approver can request promotion; your role is viewer.').waitFor()
  expect(await vic.getByRole('button', { name: 'Request promotion' }).count()).toBe(0)
  expect(await panelOf(vic).getByRole('textbox').count()).toBe(0)
  await vic.close()
})

test('from the overview to the approval by keyboard alone, with the focus where the next step is', async () => {
  const ana = await person(tokens.approver)
  const focused = () =>
    ana.evaluate<string>('(document.activeElement.innerText || document.activeElement.id || "").trim()')
  async function tabTo(wanted: RegExp, max = 80) {
    for (let i = 0; i < max; i++) {
      await ana.keyboard.press('Tab')
      if (wanted.test(await focused())) return
    }
    throw new Error(`no stop ${wanted} within ${max} tabs; last: ${await focused()}`)
  }
  await ana.getByRole('link', { name: 'keys', exact: true }).waitFor()
  await tabTo(/^keys$/)
  await ana.keyboard.press('Enter')
  await ana.getByRole('heading', { name: 'keys', level: 1 }).waitFor()
  await panelOf(ana).getByLabel('Comment').waitFor()
  for (let i = 0; ; i++) {
    if (i > 80) throw new Error('the comment is not reached by keyboard')
    await ana.keyboard.press('Tab')
    if (await ana.evaluate('document.activeElement.tagName === "TEXTAREA"')) break
  }
  await ana.keyboard.type('by keyboard')
  await tabTo(/^Request promotion$/, 3)
  // the focus is there as soon as what it is on, for a key that is pressed at once
  await ana.evaluate(`void new MutationObserver((_changes, observer) => {
    if (document.getElementById('promotion').textContent !== 'Rolling out') return
    observer.disconnect()
    globalThis.focusedFirst = document.activeElement.id
  }).observe(document.body, { childList: true, subtree: true, characterData: true })`)
  await ana.keyboard.press('Enter')
  await panelOf(ana).getByRole('heading', { name: 'Rolling out' }).waitFor()
  expect(await ana.evaluate('focusedFirst')).toBe('promotion')
  await expect.poll(focused).toBe('Rolling out')
  await tabTo(/^Roll back$/, 5)
  await ana.keyboard.press('Enter')
  await ana.getByRole('dialog').waitFor()
  await ana.keyboard.press('Escape')
  await ana.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await focused()).toBe('Roll back')
  await ana.keyboard.press('Enter')
  await ana.getByRole('dialog').waitFor()
  // asked for again before the browser has sent the close event
  await ana.evaluate(`(async () => {
    document.querySelector('dialog button[type=button]').click()
    for (let i = 0; i < 10; i++) await null
    document.activeElement.click()
  })()`)
  await ana.getByRole('dialog').waitFor()
  await tabTo(/^Confirm rollback$/, 3)
  await ana.keyboard.press('Enter')
  await expect.poll(async () => (await stateOf('keys')).state).toBe('rolledBack')
  await ana.close()
})

test('the audit lists everything by day, filtered by its address, with the state of its chain', async () => {
  const vic = await person(tokens.viewer, '#/audit')
  await vic.getByTestId('chain').getByText('The record is intact.').waitFor()
  await vic.getByRole('heading', { name: /^Today, / }).waitFor()
  await vic.getByText('ana asked to promote pair').first().waitFor()
  await vic.getByText('enough for today').waitFor()
  await vic.getByLabel('Who').selectOption('root')
  await expect.poll(() => vic.url()).toContain('#/audit?actor=root')
  await vic.getByText('root overrode the gate’s verdict (fail) and asked to promote forced').waitFor()
  expect(await vic.getByText('ana asked to promote pair').count()).toBe(0)
  await vic.goto(`${comparator.url}/#/audit?validation=keys`)
  await vic.getByText('ana rolled back keys').waitFor()
  expect(
    await vic
      .getByText(/forced/)
      .filter({ visible: true })
      .count(),
  ).toBe(0)
  await vic.close()
})

test('earlier audit entries appear once, however often they are requested', async () => {
  const vic = await person(tokens.viewer)
  const entry = (id: number) => {
    const act = { actor: 'ana', role: 'approver', action: 'promotion.request', validation: 'pair', details: {} }
    return { id, at: `2026-11-0${id}T08:00:00.000Z`, ...act, prevHash: '', hash: `${id}` }
  }
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await vic.route('**/v1/audit?*', async (route) => {
    const isFirst = !route.request().url().includes('cursor=')
    if (!isFirst) await held
    await route.fulfill({ json: { entries: [entry(isFirst ? 2 : 1)], nextCursor: isFirst ? 'next' : null } })
  })
  await vic.goto(`${comparator.url}/#/audit`)
  const more = vic.getByRole('button', { name: 'Load earlier entries' })
  await more.click()
  await more.click()
  release()
  await more.waitFor({ state: 'detached' })
  await vic.waitForTimeout(200)
  expect(await vic.locator('.entry').count()).toBe(2)
  // the button is gone: the keyboard goes on at what it loaded
  expect(await vic.evaluate('document.activeElement.id')).toBe('entry-1')
  await vic.close()
})

test('an entry that arrives as earlier ones are asked for displaces none', async () => {
  const vic = await person(tokens.viewer)
  const entry = (id: number) => {
    const act = { actor: 'ana', role: 'approver', action: 'promotion.request', validation: 'pair', details: {} }
    return { id, at: `2026-11-0${id}T08:00:00.000Z`, ...act, prevHash: '', hash: `${id}` }
  }
  let newest = 3
  await vic.route('**/v1/audit?*', async (route) => {
    const { cursor } = Object.fromEntries(new URL(route.request().url()).searchParams)
    const first = cursor === undefined ? newest++ : Number(cursor) - 1
    const entries = [first, first - 1].filter((id) => id > 0).map(entry)
    const last = entries.at(-1)!.id
    await route.fulfill({ json: { entries, nextCursor: last > 1 ? String(last) : null } })
  })
  // asks for more between the arrival of an answer and what would follow its rendering
  await vic.addInitScript(`
    const ask = fetch
    let answers = 0
    globalThis.fetch = async (path, options) => {
      const answer = await ask(path, options)
      if (!path.startsWith('/v1/audit?') || path.includes('cursor=') || ++answers !== 2) return answer
      const text = await answer.text()
      answer.text = async () => {
        setTimeout(() => document.querySelector('.load-more').click())
        return text
      }
      return answer
    }
    const paint = requestAnimationFrame
    requestAnimationFrame = (draw) => setTimeout(() => paint(draw), 500)`)
  await vic.goto('about:blank')
  await vic.goto(`${comparator.url}/#/audit`)
  await vic.locator('#entry-1').waitFor()
  const shown = await vic.locator('.entry').evaluateAll((entries) => entries.map(({ id }) => id))
  expect(shown).toEqual(['entry-4', 'entry-3', 'entry-2', 'entry-1'])
  await vic.close()
})

test('entries requested before a retry are not appended to the newer ones it loads', async () => {
  const vic = await person(tokens.viewer)
  const entry = (id: number) => {
    const act = { actor: 'ana', role: 'approver', action: 'promotion.request', validation: 'pair', details: {} }
    return { id, at: `2026-11-0${id}T08:00:00.000Z`, ...act, prevHash: '', hash: `${id}` }
  }
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  let newest = 2
  let earlierAsked = 0
  await vic.route('**/v1/audit?*', async (route) => {
    if (!route.request().url().includes('cursor=')) {
      return route.fulfill({ json: { entries: [entry(newest)], nextCursor: `before ${newest}` } })
    }
    if (++earlierAsked === 1) return route.abort()
    await held
    return route.fulfill({ json: { entries: [entry(1)], nextCursor: null } })
  })
  await vic.goto(`${comparator.url}/#/audit`)
  const more = vic.getByRole('button', { name: 'Load earlier entries' })
  await more.click()
  const retry = vic.getByRole('button', { name: 'Retry' })
  await retry.waitFor()
  await more.click()
  await expect.poll(() => earlierAsked).toBe(2)
  newest = 4
  await retry.click()
  await vic.locator('#day-2026-11-04').waitFor()
  const answered = vic.waitForResponse('**/v1/audit?*cursor=*')
  release()
  await (await answered).finished()
  await vic.waitForTimeout(200)
  expect(await vic.locator('.day').count()).toBe(1)
  await more.click()
  await more.waitFor({ state: 'detached' })
  expect(await vic.locator('.day').count()).toBe(2)
  await vic.close()
})

test('a promotion has an address that leads back to it, which the audit links to', async () => {
  const { body } = await comparator.call('GET', '/v1/promotions?validation=keys', { token: tokens.viewer })
  const [{ id }] = body.promotions
  const vic = await person(tokens.viewer, '#/audit?validation=keys')
  const past = vic.locator(`[id="promotion-${id}"]`)
  const isShown = async () =>
    (await past.count()) === 1 &&
    past.evaluate((entry: any) => {
      const { top, bottom } = entry.getBoundingClientRect()
      return entry.matches(':focus') && bottom > top && Math.round(top) >= 0 && top < 900
    })
  await vic.getByText('ana rolled back keys').getByRole('link', { name: 'keys' }).click()
  await expect.poll(isShown).toBe(true)
  await vic.reload()
  await expect.poll(isShown).toBe(true)
  const own = await past.getByRole('link', { name: /^Link to the promotion of/ }).getAttribute('href')
  expect(vic.url()).toBe(`${comparator.url}/${own}`)
  await vic.close()
})

test('a comment in progress survives the end of its session, and is offered to nobody else', async () => {
  const writing = await person(tokens.approver, '#/validations/others')
  const comment = panelOf(writing).getByLabel('Comment')
  await comment.fill('nearly convinced')
  const signInAgain = async (token: string) => {
    await writing.context().clearCookies()
    await writing.getByText('Your session has ended.').waitFor()
    await writing.getByLabel('Access token').fill(token)
    await writing.keyboard.press('Enter')
    await comment.waitFor()
  }
  await signInAgain(tokens.second)
  expect(await comment.inputValue()).toBe('')
  await signInAgain(tokens.approver)
  expect(await comment.inputValue()).toBe('nearly convinced')
  // like signing in with an issuer, which leaves the page
  await writing.reload()
  await comment.waitFor()
  expect(await comment.inputValue()).toBe('nearly convinced')
  await writing.close()
})

test('whoever is writing when someone else decides goes on at what replaces the form', async () => {
  const ana = await person(tokens.approver, '#/validations/others')
  await panelOf(ana).getByLabel('Comment').fill('nearly convinced')
  const { promotion } = await stateOf('others')
  const body = { comment: 'not yet' }
  await comparator.call('POST', `/v1/promotions/${promotion.id}/reject`, { token: tokens.second, body })
  await panelOf(ana).getByRole('heading', { name: 'Promotion', exact: true }).waitFor()
  await expect.poll(() => ana.evaluate('document.activeElement.id')).toBe('promotion')
  await ana.close()
})

test('a late answer to a session that has ended does not end the next one', async () => {
  const page = await person(tokens.approver)
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/v1/observations/*', async (route) => {
    await held
    await route.fulfill({ status: 401, json: { code: 'UNAUTHORIZED', message: 'no session' } })
  })
  const late = page.waitForResponse('**/v1/observations/*')
  const asked = page.waitForRequest('**/v1/observations/*')
  await page.goto(`${comparator.url}/#/observations/0193a7b0-0000-7000-8000-000000000000`)
  await asked
  await page.context().clearCookies()
  await page.getByText('Your session has ended.').waitFor()
  await page.evaluate("location.hash = '#/audit'")
  await page.getByLabel('Access token').fill(tokens.approver)
  await page.keyboard.press('Enter')
  const audit = page.getByRole('heading', { name: 'Audit' })
  await audit.waitFor()
  release()
  await (await late).finished()
  // the page has drawn what it made of the answer
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
  expect(await page.getByText('Your session has ended.').count()).toBe(0)
  expect(await audit.isVisible()).toBe(true)
  await page.context().close()
})

test('signing out ends the session in every tab, and leaves nothing of the token in the page', async () => {
  const ana = await person(tokens.approver)
  const kept = await ana.evaluate<string>('JSON.stringify([{...sessionStorage}, {...localStorage}, document.cookie])')
  expect(kept).toBe('[{},{},""]')
  const other = await ana.context().newPage()
  await other.goto(`${comparator.url}/#/audit`)
  await other.getByRole('heading', { name: 'Audit' }).waitFor()
  await ana.getByRole('button', { name: 'Sign out' }).click()
  await ana.getByRole('heading', { name: 'Sign in' }).waitFor()
  await other.getByText('Your session has ended.').waitFor()
  // and returns to where they were
  await other.getByLabel('Access token').fill(tokens.approver)
  await other.keyboard.press('Enter')
  await other.getByRole('heading', { name: 'Audit' }).waitFor()
  await ana.context().close()
})

test.each(['light', 'dark'] as const)('axe finds nothing on what is signed, in the %s theme', async (colorScheme) => {
  for (const [path, token] of [
    ['', null],
    ['#/validations/pair', tokens.second],
    ['#/validations/forced', tokens.admin],
    ['#/audit', tokens.viewer],
  ] as const) {
    const context = await browser.newContext({
      colorScheme,
      reducedMotion: 'reduce',
      viewport: { width: 320, height: 800 },
    })
    if (token) await context.request.post(`${comparator.url}/v1/session`, { data: { token } })
    const page = await context.newPage()
    await page.goto(`${comparator.url}/${path}`)
    const scope = !token ? '.sign-in' : path === '#/audit' ? 'main' : '.promotion'
    await page.locator(scope).waitFor()
    await page.locator('.loading').first().waitFor({ state: 'detached' })
    expect(await pageFindings(page, { colorScheme, within: [scope] }), path).toEqual([])
    const wide = await page.locator(scope).evaluate((element: any) =>
      [...element.querySelectorAll('*')]
        .filter((inner) => !inner.closest('.table-scroll, .visually-hidden'))
        .filter((inner) => inner.getBoundingClientRect().right > element.getBoundingClientRect().right + 1)
        .map((inner) => inner.outerHTML.slice(0, 200)),
    )
    expect(wide, `${path} at 320 px`).toEqual([])
    await context.close()
  }
})

test('an override that someone else has to approve is marked as one before its approval', async () => {
  await promote('asked', { override: true, comment: 'the GPUs are gone' }, tokens.admin)
  const ana = await person(tokens.approver, '#/validations/asked')
  await ana
    .getByTestId('override-banner')
    .getByText(/Requested against its gate by root/)
    .waitFor()
  await panelOf(ana).getByLabel('Comment').fill('seen, and agreed')
  await ana.getByRole('button', { name: 'Approve against the gate' }).click()
  await ana
    .getByTestId('override-banner')
    .getByText(/Promoted against its gate by root/)
    .waitFor()
  expect(await stateOf('asked')).toMatchObject({ state: 'rollingOut', livePercent: 10 })
})

test('the pages threw nothing, and kept to their policy', () => {
  expect(problems).toEqual([])
})
