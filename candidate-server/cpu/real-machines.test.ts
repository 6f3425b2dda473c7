import { expect, test } from 'vitest'
import { type FakeMachine, range, writeSysroot } from '../testing/fake-sysroot.ts'
import { codesOf, cpusOf } from '../testing/plan-machine.ts'
import {
  epyc7451,
  memoryWithoutCpus,
  meteorLake,
  nvidiaGb10,
  smallVirtualMachine,
  socketWithoutMemory,
  xeonX7550,
} from '../testing/real-machines.ts'
import { type PlanRequest, planCpus } from './plan.ts'
import { readTopology } from './topology.ts'

const auto: PlanRequest = { instances: 'auto', threads: 'auto' }
const planOn = (machine: FakeMachine) => {
  const topology = readTopology({ sysroot: writeSysroot(machine) })
  return (request: PlanRequest) => planCpus(topology, request)
}

test('a hybrid laptop: one CPU of each fast core, whichever its sibling is', () => {
  const plan = planOn(meteorLake)
  expect(cpusOf(plan({ instances: 1, threads: 'auto' }))).toEqual([[0, 1, 3, 6, 8, 10]])
  expect(cpusOf(plan({ instances: 3, threads: 'auto' }))).toEqual([
    [0, 1],
    [3, 6],
    [8, 10],
  ])
  const all = plan(auto)
  expect(cpusOf(all)).toEqual([0, 1, 3, 6, 8, 10, ...range(12, 22)].map((cpu) => [cpu]))
  expect(all).toMatchObject({ smt: 'on', frontCpus: [2, 4, 5, 7, 9, 11] })
  expect(codesOf(all)).toEqual(['HYBRID_CORES'])
})

test('a hybrid laptop: the suggestion for using idle cores is a plan that fits', () => {
  const plan = planOn(meteorLake)
  const idle = (instances: number) =>
    plan({ instances, threads: 4 }).warnings.find(({ code }) => code === 'IDLE_CORES')!.message
  // sixteen cores, but not four groups of four: six are fast and ten are slow
  expect(() => plan({ instances: 4, threads: 4 })).toThrow(/6 \+ 10/)
  expect(idle(1)).toMatch(/; 3 instances × 4 would use 12$/)
  expect(idle(3)).toMatch(/ use 12$/)
})

test('two sockets of four dies: an instance stays on the six cores of one', () => {
  const plan = planOn(epyc7451)
  expect(() => plan({ instances: 4, threads: 12 })).toThrow(/\(6 \+ 6 \+ 6 \+ 6 \+ 6 \+ 6 \+ 6 \+ 6\).*6 at most/)
  const eight = plan({ instances: 8, threads: 6 })
  expect(eight.instances).toEqual(
    range(0, 8).map((node) => ({ cpus: range(6 * node, 6 * node + 6), threads: 6, memoryNode: node })),
  )
  expect(eight).toMatchObject({ warnings: [], frontCpus: range(48, 96) })
  const four = plan({ instances: 4, threads: 'auto' })
  expect(four.instances.map(({ threads, memoryNode }) => [threads, memoryNode])).toEqual(
    range(0, 4).map((node) => [6, node]),
  )
  expect(codesOf(four)).toEqual(['IDLE_CORES'])
  expect(plan({ instances: 4, threads: 12, straddleNuma: true }).instances).toHaveLength(4)
})

test('four sockets of which one node lists its CPUs: the others’ memory is not bound', () => {
  const { instances } = planOn(xeonX7550)({ instances: 2, threads: 16 })
  expect(instances).toEqual([
    { cpus: range(0, 16).map((i) => 2 * i), threads: 16, memoryNode: 0 },
    { cpus: range(0, 16).map((i) => 2 * i + 1), threads: 16, memoryNode: null },
  ])
})

test('arm64 with two clusters: the large cores of both, before the small ones', () => {
  const plan = planOn(nvidiaGb10)
  expect(cpusOf(plan({ instances: 1, threads: 'auto' }))).toEqual([[...range(5, 10), ...range(15, 20)]])
  expect(cpusOf(plan({ instances: 2, threads: 5 }))).toEqual([range(5, 10), range(15, 20)])
  const all = plan(auto)
  expect(all.instances).toHaveLength(19)
  expect(all).toMatchObject({ smt: 'off', frontCpus: [14] })
  expect(codesOf(all)).toEqual(['HYBRID_CORES'])
})

test('a small virtual machine: both CPUs, and doubts about them', () => {
  const made = planOn(smallVirtualMachine)(auto)
  expect(made).toMatchObject({ smt: 'unverifiable', quotaCpus: null, usableCores: [0, 1], frontCpus: [] })
  expect(codesOf(made)).toEqual(['SMT_UNVERIFIABLE'])
})

test.each([
  ['a socket without memory', socketWithoutMemory, [0, null]],
  ['a node of memory alone', memoryWithoutCpus, [0, 0]],
])('%s: instances are bound to memory beside their cores, if there is any', (_, machine, memoryNodes) => {
  const { instances } = planOn(machine)({ instances: 2, threads: 2 })
  expect(instances.map(({ cpus, memoryNode }) => [cpus, memoryNode])).toEqual([
    [[0, 2], memoryNodes[0]],
    [[4, 6], memoryNodes[1]],
  ])
})
