/** `NAME=1x3x224x224`. */
export function parseShape(text: string): [string, number[]] {
  const match = /^(.+)=(\d+(?:x\d+)*)$/.exec(text)
  const sizes = (match?.[2] ?? '0').split('x').map(Number)
  if (!match || sizes.includes(0)) {
    throw new RangeError(`expected NAME=SIZExSIZE…, such as image=1x3x224x224, got ${JSON.stringify(text)}`)
  }
  return [match[1]!, sizes]
}
