export type InstanceMode = 'starting' | 'idle' | 'busy' | 'restarting' | 'stopped'

const next: Record<InstanceMode, InstanceMode[]> = {
  starting: ['idle', 'restarting', 'stopped'],
  idle: ['busy', 'restarting', 'stopped'],
  busy: ['idle', 'restarting', 'stopped'],
  restarting: ['starting', 'stopped'],
  stopped: [],
}

/** Throws if this transition does not exist. */
export function assertTransition(from: InstanceMode, to: InstanceMode): void {
  if (!next[from].includes(to)) throw new Error(`an instance cannot go from ${from} to ${to}`)
}
