import { expect, test } from 'vitest'
import { csvText } from './csv-text.ts'

test('a download contains exact figures, not rounded ones', () => {
  const table = { columns: ['Time', 'Estimate'], rows: [['08:00', { text: '0.98', value: 0.9814285714 }]] }
  expect(csvText(table)).toBe('Time,Estimate\r\n08:00,0.9814285714\r\n')
})

test('unknown values are empty, and values that would break a row are quoted', () => {
  const table = { columns: ['a', 'b,c'], rows: [[{ text: '–', value: null }, 'say "so"\nor not']] }
  expect(csvText(table)).toBe('a,"b,c"\r\n,"say ""so""\nor not"\r\n')
})

test('a client’s text is never a spreadsheet formula, and a negative number stays a number', () => {
  const table = { columns: ['slice', 'n'], rows: [['=HYPERLINK("http://x")', { text: '−1', value: -1 }]] }
  expect(csvText(table)).toBe('slice,n\r\n"\'=HYPERLINK(""http://x"")",-1\r\n')
})

test('a text shown on one line has ordinary spaces', () => {
  expect(csvText({ columns: ['up to 1\u00a0KiB'], rows: [] })).toBe('up to 1 KiB\r\n')
})
