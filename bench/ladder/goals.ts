import { ratioByTurn } from '../serving/ratio.ts'
import { rowOf } from '../serving/row.ts'
import type { Turns } from '../serving/take-turns.ts'
import { markdownTable, met, times } from '../table.ts'
import { base, equalSettings, fastestSession, type Rung, rungs } from './rungs.ts'

const goals = { overEager: 11, overPython: 1, overOpenVino: 1, studentOverEager: 18.4 }

/** The rung with the highest median rate; undefined if none was measured. */
export function best(turns: Turns, candidates: readonly Rung[]): Rung | undefined {
  const rate = ({ name }: Rung) => rowOf(turns, name)?.rowsPerSecond.median ?? Number.NEGATIVE_INFINITY
  const measured = candidates.filter(({ name }) => turns.rounds.has(name))
  return measured.toSorted((a, b) => rate(b) - rate(a))[0]
}

const isOurs = (rung: Rung) => rung.kind === 'server'
const isStudent = ({ model }: Rung) => model.startsWith('resnet18')

export function goalsTable(turns: Turns): string {
  const ours = best(
    turns,
    rungs.filter((rung) => isOurs(rung) && !isStudent(rung)),
  )
  const student = best(turns, rungs.filter(isStudent))
  const openVino = best(
    turns,
    rungs.filter((rung) => rung.kind === 'peer' && rung.engine === 'openvino' && rung.model === 'resnet50-int8'),
  )
  const goal = (text: string, min: number, rung: Rung | undefined, over: Rung | undefined, note: string) => {
    const ratio = rung && over && ratioByTurn(turns, rung.name, [over.name])
    return [text, `${times(ratio)}${note}`, met(ratio && ratio.median >= min)]
  }
  const of = (rung: Rung | undefined) => (rung ? ` (${rung.label})` : '')
  const ceiling = ratioByTurn(turns, 'arithmetic-resnet50-int8-2', [base.name])
  const atMost = ceiling ? `; ${times(ceiling)} is what the CPU’s multiply-adds alone allow` : ''
  const alone = openVino && ratioByTurn(turns, fastestSession, [openVino.name])
  return markdownTable(
    ['goal', 'measured', 'met'],
    [
      goal(
        `ResNet-50 on our server ≥ ${goals.overEager} × eager PyTorch`,
        goals.overEager,
        ours,
        base,
        `${of(ours)}${atMost}`,
      ),
      pythonGoal(turns),
      goal(
        `ResNet-50 on our server ≥ ${goals.overOpenVino} × OpenVINO INT8 at its best`,
        goals.overOpenVino,
        ours,
        openVino,
        `${of(ours)} over its${of(openVino)}; ${times(alone)} is its session alone`,
      ),
      goal(
        `the student on our server ≥ ${goals.studentOverEager} × eager PyTorch`,
        goals.studentOverEager,
        student,
        base,
        of(student),
      ),
    ],
  )
}

/** Met only if every pair meets it. */
function pythonGoal(turns: Turns): string[] {
  const pairs = equalSettings.map(({ label, ours, session, theirs }) => ({
    label,
    ratio: ratioByTurn(turns, ours, [theirs]),
    alone: ratioByTurn(turns, session, [theirs]),
  }))
  const known = pairs.flatMap(({ ratio }) => (ratio ? [ratio] : []))
  const isMet = known.length < pairs.length ? undefined : known.every(({ median }) => median >= goals.overPython)
  return [
    `our server over HTTP ≥ ${goals.overPython.toFixed(1)} × ONNX Runtime in Python without, at equal settings`,
    pairs.map(({ label, ratio, alone }) => `${label} ${times(ratio)}, its session alone ${times(alone)}`).join('; '),
    met(isMet),
  ]
}
