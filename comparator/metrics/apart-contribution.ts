import type { Policy } from '../../vocabulary/policy.ts'
import type { BoxDifferences } from '../compare/compare-boxes.ts'
import type { JsonDifferences } from '../compare/compare-json.ts'
import type { Apart } from '../compare/compare-readings.ts'
import { addValue, type Contribution } from './add-value.ts'
import { addClasses } from './class-contribution.ts'
import { fieldMeasure } from './measures.ts'
import { greatestHash, NameSample, otherName } from './name-sample.ts'

/** Adds the differences of two compared answers that are neither values nor classes. */
export function addApart(into: Contribution, policy: Policy, apart: Apart): void {
  switch (apart.kind) {
    case 'rows':
      addClasses(into, policy, apart.pairs)
      break
    case 'embedding':
      addValue(into, 'cosine', apart.cosine)
      addValue(into, 'cosineDistance', 1 - apart.cosine)
      addSizes(into, apart.primaryNorm, apart.candidateNorm)
      break
    case 'detection':
      addBoxes(into, apart)
      addSizes(into, apart.primaryBoxes, apart.candidateBoxes)
      break
    case 'text':
      into.sums.push(['exactMatch', apart.exact], ['normalisedMatch', apart.normalised])
      addValue(into, 'editSimilarity', apart.editSimilarity)
      into.sums.push(['tokenF1', apart.tokenF1])
      addSizes(into, apart.primaryLength, apart.candidateLength)
      break
    case 'json':
      addFields(into, policy, apart)
      addSizes(into, apart.primaryFields, apart.candidateFields)
      break
  }
}

/** Adds to both sides' distributions, which `outputDrift` compares. */
function addSizes(into: Contribution, primary: number, candidate: number): void {
  addValue(into, 'output.primary', primary)
  addValue(into, 'output.candidate', candidate)
}

function addBoxes(into: Contribution, apart: BoxDifferences): void {
  const { primaryBoxes, candidateBoxes, f1, precision, recall, countError, iou, scoreError } = apart
  addValue(into, 'f1', f1)
  into.sums.push(['precision', precision], ['recall', recall])
  into.sums.push(['countDelta', candidateBoxes - primaryBoxes], ['countError', countError])
  if (iou !== null) into.sums.push(['meanIou', iou])
  if (scoreError !== null) into.sums.push(['scoreMae', scoreError])
}

const pathsByPolicy = new WeakMap<Policy, NameSample>()

function addFields(into: Contribution, policy: Policy, apart: JsonDifferences): void {
  const { fields, equal, missing, extra, typeChanged, valueChanged } = apart
  into.sums.push(['documentsEqual', equal === fields ? 1 : 0])
  addValue(into, 'fieldsEqual', fields === 0 ? 1 : equal / fields)
  into.sums.push(['missingFields', missing], ['extraFields', extra])
  into.sums.push(['typeChanges', typeChanged], ['valueChanges', valueChanged])
  const sample = NameSample.of(pathsByPolicy, policy)
  let others: number | null = null
  for (const path of apart.paths) {
    const above = path === otherName ? greatestHash : sample.givenUpAbove(path)
    if (above === null) into.sums.push([fieldMeasure(path), 1])
    else others = Math.min(others ?? greatestHash, above)
  }
  if (others !== null) into.sums.push([fieldMeasure(otherName), others])
}
