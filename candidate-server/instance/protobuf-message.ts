/** A protobuf message is its fields one after another. */
export const message = (fields: readonly Uint8Array[]): Uint8Array => Buffer.concat(fields)

/** `value`: a whole number from 0. */
export const intField = (number: number, value: number): Uint8Array => message([varint(number * 8), varint(value)])

export const bytesField = (number: number, bytes: Uint8Array): Uint8Array =>
  message([varint(number * 8 + 2), varint(bytes.length), bytes])

export const textField = (number: number, text: string): Uint8Array => bytesField(number, Buffer.from(text))

function varint(value: number): Uint8Array {
  const bytes: number[] = []
  let left = value
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) + 0x80)
  return Uint8Array.from([...bytes, left])
}
