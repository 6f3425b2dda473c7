import type { Policy } from '../../../vocabulary/policy.ts'
import type { BoxDifferences } from '../../compare/compare-boxes.ts'
import type { JsonDifferences } from '../../compare/compare-json.ts'
import type { AnswerDifferences } from '../../compare/compare-readings.ts'
import { fieldMeasure } from '../measures.ts'
import { greatestHash, NameSample, otherName } from '../name-sample.ts'
import { addClasses } from './class-contribution.ts'
import { addValue, type Contribution } from './contribution.ts'

/** Adds the differences of two compared answers that are neither values nor classes. */
export function addDifferences(into: Contribution, policy: Policy, differences: AnswerDifferences): void {
  switch (differences.kind) {
    case 'rows':
      addClasses(into, policy, differences.pairs)
      break
    case 'embedding':
      addValue(into, 'cosine', differences.cosine)
      addValue(into, 'cosineDistance', 1 - differences.cosine)
      addSizes(into, differences.primaryNorm, differences.candidateNorm)
      break
    case 'detection':
      addBoxes(into, differences)
      addSizes(into, differences.primaryBoxes, differences.candidateBoxes)
      break
    case 'text':
      into.sums.push(['exactMatch', differences.exact], ['normalisedMatch', differences.normalised])
      addValue(into, 'editSimilarity', differences.editSimilarity)
      into.sums.push(['tokenF1', differences.tokenF1])
      addSizes(into, differences.primaryLength, differences.candidateLength)
      break
    case 'json':
      addFields(into, policy, differences)
      addSizes(into, differences.primaryFields, differences.candidateFields)
      break
  }
}

/** Adds to both sides' distributions, which `outputDrift` compares. */
function addSizes(into: Contribution, primary: number, candidate: number): void {
  addValue(into, 'output.primary', primary)
  addValue(into, 'output.candidate', candidate)
}

function addBoxes(into: Contribution, differences: BoxDifferences): void {
  const { primaryBoxes, candidateBoxes, f1, precision, recall, countError, iou, scoreError } = differences
  addValue(into, 'f1', f1)
  into.sums.push(['precision', precision], ['recall', recall])
  into.sums.push(['countDelta', candidateBoxes - primaryBoxes], ['countError', countError])
  if (iou !== null) into.sums.push(['meanIou', iou])
  if (scoreError !== null) into.sums.push(['scoreMae', scoreError])
}

const pathsByPolicy = new WeakMap<Policy, NameSample>()

function addFields(into: Contribution, policy: Policy, differences: JsonDifferences): void {
  const { fields, equal, missing, extra, typeChanged, valueChanged } = differences
  into.sums.push(['documentsEqual', equal === fields ? 1 : 0])
  addValue(into, 'fieldsEqual', fields === 0 ? 1 : equal / fields)
  into.sums.push(['missingFields', missing], ['extraFields', extra])
  into.sums.push(['typeChanges', typeChanged], ['valueChanges', valueChanged])
  const sample = NameSample.of(pathsByPolicy, policy)
  let others: number | null = null
  for (const path of differences.paths) {
    const above = path === otherName ? greatestHash : sample.givenUpAbove(path)
    if (above === null) into.sums.push([fieldMeasure(path), 1])
    else others = Math.min(others ?? greatestHash, above)
  }
  if (others !== null) into.sums.push([fieldMeasure(otherName), others])
}
