import type { PlannedInstance } from '../cpu/cpu-plan.ts'
import type { Topology } from '../cpu/topology.ts'
import type { Launcher } from '../instance/launcher.ts'

/** What to do if an instance's memory should be bound to its node and is not; `undefined` if all is well. */
export function unboundMemory(
  launcher: Launcher,
  { memoryNode }: PlannedInstance,
  { cores, allowedMemoryNodes }: Topology,
): string | undefined {
  const nodes = new Set([...cores.map(({ node }) => node), ...(allowedMemoryNodes ?? [])])
  if (memoryNode === null || nodes.size === 1 || (launcher.kind === 'numactl' && launcher.memoryBound)) return undefined
  return (
    `may have its memory on another node than ${memoryNode}: numactl is missing, or may not bind memory; ` +
    'allow it set_mempolicy (in a container by CAP_SYS_NICE, in a systemd unit by SystemCallFilter=@resources)'
  )
}
