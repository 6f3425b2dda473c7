import { expect, test } from 'vitest'
import { decodeRecords, encodeRecord } from './spool-record.ts'

test('a record on disk has a form that stays: an upgraded mirror delivers what the one before it left', () => {
  const entry = { validation: 'v', minute: 60_000, sizeClass: 'le1KiB' } as const
  const head = Buffer.from('40000000638679ca3600', 'hex')
  const record = Buffer.concat([head, Buffer.from('{"validation":"v","minute":60000,"sizeClass":"le1KiB"}{"id":1}')])
  expect(encodeRecord({ observation: Buffer.from('{"id":1}'), entry })).toEqual(record)
  const read: unknown[] = []
  const steps = decodeRecords(record, (...found) => read.push(found))
  expect(steps.next()).toEqual({ done: true, value: record.length })
  expect(read).toEqual([[entry, 64, 72]])
})
