"""Makes every file in ../models and ../data, and ../README.md. Takes a few minutes on two cores.

    python make_models.py
"""

from pathlib import Path

import numpy as np
import torch

import diabetes_data
import diabetes_models
import digits_data
import digits_models
from export_onnx import export
from quantize import quantize
from report import write_report

SEED = 20260
DIM = 0.45  # the bad candidate's mistake: its calibration images at this share of their brightness

DEMO = Path(__file__).resolve().parent.parent
MODELS = DEMO / "models"
DATA = DEMO / "data"


def make_digits() -> None:
    train, calibration, held_out = digits_data.load_split(SEED)
    digits_data.write_jsonl(held_out, DATA / "digits.jsonl")

    def save(network: torch.nn.Module, name: str) -> Path:
        path = MODELS / name
        served = digits_models.Probabilities(network)
        export(served, torch.zeros(2, 1, 8, 8), "image", "probabilities", path)
        return path

    teacher = digits_models.train_teacher(train, SEED)
    student = digits_models.distil_student(train, teacher, SEED)
    save(teacher, "digits-teacher.onnx")
    student_file = save(student, "digits-student.onnx")

    inputs = calibration.inputs()
    quantize(student_file, MODELS / "digits-student-int8.onnx", "image", inputs)
    dim = inputs * np.float32(DIM)
    quantize(student_file, MODELS / "digits-bad-int8.onnx", "image", dim)


def make_diabetes() -> None:
    train, held_out = diabetes_data.load_split(SEED)
    diabetes_data.write_jsonl(held_out, DATA / "diabetes.jsonl")

    def save(model: torch.nn.Module, name: str) -> Path:
        path = MODELS / name
        export(model, torch.zeros(2, 10), "features", "progression", path)
        return path

    teacher = diabetes_models.train_teacher(train, SEED)
    student = diabetes_models.distil_student(train, teacher, SEED)
    save(teacher, "diabetes-teacher.onnx")
    student_file = save(student, "diabetes-student.onnx")
    quantize(student_file, MODELS / "diabetes-student-int8.onnx", "features", train.features)


def main() -> None:
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(2)  # part of the recipe: sums are split, and so rounded, by thread
    MODELS.mkdir(exist_ok=True)
    DATA.mkdir(exist_ok=True)
    make_digits()
    make_diabetes()
    write_report(MODELS, DATA, DEMO / "README.md", dim=DIM)


if __name__ == "__main__":
    main()
