"""The diabetes data of Efron et al. (2004), in the units that the clinic wrote down."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split


@dataclass(frozen=True)
class Patients:
    features: np.ndarray  # float32 [n, 10]: age, sex, bmi, blood pressure, six serum values
    progression: np.ndarray  # float32 [n], 25..346, one year after

    def __len__(self) -> int:
        return len(self.progression)


def load_split(seed: int) -> tuple[Patients, Patients]:
    """(train, held-out); held-out is 25 %."""
    raw = load_diabetes(scaled=False)
    train, held_out = train_test_split(
        np.arange(len(raw.target)), test_size=0.25, random_state=seed
    )
    return tuple(
        Patients(raw.data[rows].astype(np.float32), raw.target[rows].astype(np.float32))
        for rows in (train, held_out)
    )


def write_jsonl(patients: Patients, path: Path) -> None:
    with path.open("w", encoding="ascii", newline="\n") as file:
        rows = zip(patients.features, patients.progression)
        for number, (features, progression) in enumerate(rows, start=1):
            row = {
                "id": f"patient-{number:04}",
                "features": [short(value) for value in features],
                "value": short(progression),
            }
            file.write(json.dumps(row, separators=(",", ":")) + "\n")


def short(value: np.float32) -> int | float:
    """The shortest decimal that reads back as the same float32: 32.1, not 32.099998474121094."""
    return int(value) if value.is_integer() else float(str(value))


def read_jsonl(path: Path) -> Patients:
    rows = [json.loads(line) for line in path.read_text("ascii").splitlines()]
    return Patients(
        np.array([row["features"] for row in rows], dtype=np.float32),
        np.array([row["value"] for row in rows], dtype=np.float32),
    )
