import { expect, test } from 'vitest'
import { html } from './html.ts'

test('values in a template stay text, in content and in attributes, alone and in lists', () => {
  const hostile = `<script>alert(1)</script>"'\`&`
  const escaped = '&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&#96;&amp;'
  expect(html`<p title="${hostile}">${hostile}${[hostile, null]}</p>`.text).toBe(
    `<p title="${escaped}">${escaped}${escaped}</p>`,
  )
})

test('markup in markup is not escaped twice', () => {
  expect(html`<b>${html`<i>${'<'}</i>`}</b>`.text).toBe('<b><i>&lt;</i></b>')
})

test('an object that only looks like markup is text', () => {
  const forged = { text: '<script>' } as unknown as string
  expect(html`${forged}`.text).not.toContain('<script>')
})

test('invisible characters are spelled out, and joined letters stay joined', () => {
  expect(html`<q>${'please \u202Ekool'}</q>`.text).toBe('<q>please [U+202E]kool</q>')
  expect(html`<pre>${'a\n\tb 🐈\u200d⬛'}</pre>`.text).toBe('<pre>a\n\tb 🐈\u200d⬛</pre>')
})
