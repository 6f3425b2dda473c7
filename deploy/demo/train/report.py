"""Measures the files on the held-out data and writes ../README.md from the measurements."""

import math
from pathlib import Path
from string import Template

import numpy as np
import onnxruntime
from scipy.stats import beta

import diabetes_data
import digits_data
from measure import accuracy, agreement, mae, opset_and_ir, parameters, run

PAGE = Template("""\
<!-- Written by train/make_models.py; edit train/report.py instead. -->
# The demo's models and traffic

Two small tasks for trying Understudy: reading handwritten digits and forecasting the progression of a disease. Each has a teacher, which plays the primary, and cheaper students, which play the candidates. One candidate is bad on purpose.

All figures were measured on held-out data with the files themselves, using onnxruntime $ort on one CPU thread.

## Digits

`models/digits-*.onnx` take `image`, float32 [batch, 1, 8, 8], grey bytes divided by 255, and return `probabilities`, float32 [batch, 10]. The $digits_n held-out images are in `data/digits.jsonl`, each as a base64 PNG with its label.

$digits_table

The teacher is wrong on $teacher_wrong of $digits_n: with 95 % confidence its error rate on such images is below $teacher_bound.

The student is distilled from the teacher with the DIST loss ([Huang et al. 2022](https://arxiv.org/abs/2205.10536)); `digits-student-int8.onnx` is that student in int8, with activation ranges taken from real training images.

**What is wrong with `digits-bad-int8.onnx`.** It is the same student, but its activation ranges were taken from images at $dim_percent of their brightness, so on real images the activations clip. At a glance it looks fine: it has the same operators and size as the good one, gives its answers a mean probability of $bad_confidence, and agrees with the teacher on $rest_agreement or more of the images of every digit except one. That digit is $worst_digit: there it agrees on $worst_agreement. Overall it disagrees with the teacher on $bad_disagree of $digits_n images, where the good one disagrees on $good_disagree.

## Diabetes

`models/diabetes-*.onnx` take `features`, float32 [batch, 10], as measured (age, sex, body mass index, blood pressure, six serum values; the scaling is in the graph), and return `progression`, float32 [batch, 1]. The $diabetes_n held-out patients are in `data/diabetes.jsonl`. MAE is the mean absolute error, in the target's own unit (25 to 346).

$diabetes_table

Always answering the held-out median would give an MAE of $median_mae: the data is noisy, and the teacher is no oracle. A candidate is judged by how closely it follows the teacher.

## Making them again

```sh
cd deploy/demo/train
python -m venv .venv && . .venv/bin/activate   # Python 3.11 or newer
pip install -r requirements.txt
python make_models.py                          # a few minutes on two cores
python -m unittest                             # checks the distillation loss against NumPy
```

The seed is fixed: a second run on the same machine gives the same bytes. Another CPU or torch version rounds differently, so expect figures that differ by an image or two. The files are ONNX opset $opset, IR version $ir; the int8 ones are QDQ.

## Data

- Digits: scikit-learn's copy of the test set of *Optical Recognition of Handwritten Digits* (E. Alpaydin, C. Kaynak, UCI Machine Learning Repository, 1998), [CC BY 4.0](https://archive.ics.uci.edu/dataset/80/optical+recognition+of+handwritten+digits). Its pixels 0..16 are stretched to 0..255. The split is random, so the same 13 people wrote both parts. Accuracy on new handwriting would be lower.
- Diabetes: scikit-learn's copy of the [442 patients](https://www4.stat.ncsu.edu/~boos/var.select/diabetes.html) of B. Efron, T. Hastie, I. Johnstone, R. Tibshirani, "Least Angle Regression", *Annals of Statistics* 32 (2004).
""")


def write_report(models: Path, data: Path, page: Path, dim: float) -> None:
    digits = digits_data.read_jsonl(data / "digits.jsonl")
    images = digits.inputs()
    teacher = run(models / "digits-teacher.onnx", images)
    digits_rows = []
    for name in ("teacher", "student", "student-int8", "bad-int8"):
        file = models / f"digits-{name}.onnx"
        output = run(file, images)
        against = "" if name == "teacher" else f"{agreement(output, teacher):.4f}"
        digits_rows.append([*describe(file), f"{accuracy(output, digits.labels):.4f}", against])
    wrong = int((teacher.argmax(axis=1) != digits.labels).sum())
    good = run(models / "digits-student-int8.onnx", images)
    bad = run(models / "digits-bad-int8.onnx", images)
    by_digit = [
        agreement(bad[digits.labels == digit], teacher[digits.labels == digit])
        for digit in range(10)
    ]
    worst_digit = int(np.argmin(by_digit))

    patients = diabetes_data.read_jsonl(data / "diabetes.jsonl")
    oracle = run(models / "diabetes-teacher.onnx", patients.features)
    diabetes_rows = []
    for name in ("teacher", "student", "student-int8"):
        file = models / f"diabetes-{name}.onnx"
        output = run(file, patients.features)
        against = "" if name == "teacher" else f"{mae(output, oracle):.2f}"
        diabetes_rows.append([*describe(file), f"{mae(output, patients.progression):.2f}", against])

    opset, ir = opset_and_ir(models / "digits-student-int8.onnx")
    page.write_text(
        PAGE.substitute(
            ort=onnxruntime.__version__,
            digits_n=len(digits),
            digits_table=table(
                ["file", "parameters", "KiB", f"accuracy (n = {len(digits)})", "agreement with the teacher"],
                digits_rows,
            ),
            teacher_wrong=wrong,
            # Clopper and Pearson's upper bound, one-sided.
            teacher_bound=f"{100 * beta.ppf(0.95, wrong + 1, len(digits) - wrong):.1f} %",
            dim_percent=percent(dim),
            bad_confidence=f"{bad.max(axis=1).mean():.2f}",
            worst_digit=worst_digit,
            worst_agreement=percent(by_digit[worst_digit]),
            rest_agreement=percent(math.floor(100 * sorted(by_digit)[1]) / 100),
            bad_disagree=disagreements(bad, teacher),
            good_disagree=disagreements(good, teacher),
            diabetes_n=len(patients),
            diabetes_table=table(
                ["file", "parameters", "KiB", f"MAE to the truth (n = {len(patients)})", "MAE to the teacher"],
                diabetes_rows,
            ),
            median_mae=f"{mae(patients.progression, np.median(patients.progression)):.2f}",
            opset=opset,
            ir=ir,
        ),
        encoding="utf-8",
    )


def describe(file: Path) -> list[str]:
    return [f"`{file.name}`", f"{parameters(file):,}", f"{file.stat().st_size / 1024:,.0f}"]


def percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def disagreements(a: np.ndarray, b: np.ndarray) -> int:
    return int((a.argmax(axis=1) != b.argmax(axis=1)).sum())


def table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
