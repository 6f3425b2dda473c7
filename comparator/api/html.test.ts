import { expect, test } from 'vitest'
import { html } from './html.ts'

test('what is put into a template stays text, in content and in attributes, one by one and in lists', () => {
  const hostile = `<script>alert(1)</script>"'\`&`
  const escaped = '&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&#96;&amp;'
  expect(html`<p title="${hostile}">${hostile}${[hostile, null]}</p>`.text).toBe(
    `<p title="${escaped}">${escaped}${escaped}</p>`,
  )
})

test('markup in markup is not escaped twice', () => {
  expect(html`<b>${html`<i>${'<'}</i>`}</b>`.text).toBe('<b><i>&lt;</i></b>')
})

test('what only looks like markup is text', () => {
  const forged = { text: '<script>' } as unknown as string
  expect(html`${forged}`.text).not.toContain('<script>')
})

test('what a text hides is spelled out, and letters that join stay joined', () => {
  expect(html`<q>${'please \u202Ekool'}</q>`.text).toBe('<q>please [U+202E]kool</q>')
  expect(html`<pre>${'a\n\tb 🐈\u200d⬛'}</pre>`.text).toBe('<pre>a\n\tb 🐈\u200d⬛</pre>')
})
