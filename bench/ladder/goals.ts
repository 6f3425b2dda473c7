import { figure, markdownTable, met, times } from '../report/table.ts'
import { ratioByTurn } from '../serving/ratio.ts'
import { rowOf } from '../serving/row.ts'
import type { Turns } from '../serving/take-turns.ts'
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

/** Of ResNet-50 on our server, of the student there, and of ResNet-50 in OpenVINO. */
function bestOf(turns: Turns) {
  const ours = rungs.filter((rung) => isOurs(rung) && !isStudent(rung))
  const openVino = rungs.filter(
    (rung) => rung.kind === 'peer' && rung.engine === 'openvino' && rung.model === 'resnet50-int8',
  )
  return {
    ours: best(turns, ours),
    student: best(turns, rungs.filter(isStudent)),
    openVino: best(turns, openVino),
  }
}

/** The best rates over HTTP, and how they compare. */
export function inShort(turns: Turns): string {
  const { ours, student, openVino } = bestOf(turns)
  const rate = (rung: Rung | undefined) => figure((rung && rowOf(turns, rung.name)?.rowsPerSecond.median) ?? Number.NaN)
  const over = (rung: Rung | undefined, other: Rung | undefined) =>
    figure((rung && other && ratioByTurn(turns, rung.name, [other.name])?.median) ?? Number.NaN)
  return `At best and over HTTP, ResNet-50 has ${rate(ours)} images/s, ${over(ours, base)} × eager PyTorch and ${over(ours, openVino)} × OpenVINO's best without HTTP; the distilled student has ${rate(student)}, ${over(student, base)} × eager PyTorch with ResNet-50.`
}

export function goalsTable(turns: Turns): string {
  const { ours, student, openVino } = bestOf(turns)
  const goal = (text: string, min: number, rung: Rung | undefined, over: Rung | undefined, note: string) => {
    const ratio = rung && over && ratioByTurn(turns, rung.name, [over.name])
    return [text, `${times(ratio)}${note}`, met(ratio && ratio.median >= min)]
  }
  const of = (rung: Rung | undefined) => (rung ? ` (${rung.label})` : '')
  const ceiling = ratioByTurn(turns, 'arithmetic-resnet50-int8-2', [base.name])
  const atMost = ceiling ? `; ${times(ceiling)} is all that the CPU’s multiply-adds allow` : ''
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
    `our server over HTTP ≥ ${goals.overPython.toFixed(1)} × ONNX Runtime in Python without HTTP, at equal settings`,
    pairs.map(({ label, ratio, alone }) => `${label} ${times(ratio)}, its session alone ${times(alone)}`).join('; '),
    met(isMet),
  ]
}
