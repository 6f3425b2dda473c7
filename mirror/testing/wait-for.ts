/** Polls until `condition` returns something truthy; throws what it was waiting for once `deadlineMs` has passed. */
export async function waitFor<Value>(
  what: string,
  condition: () => Value | Promise<Value>,
  deadlineMs = 50_000,
): Promise<NonNullable<Value>> {
  const deadline = performance.now() + deadlineMs
  for (;;) {
    const value = await condition()
    if (value) return value as NonNullable<Value>
    if (performance.now() > deadline) throw new Error(`still waiting for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
