"""scikit-learn's handwritten digits, as the bytes of a PNG and as what the model sees of them."""

import base64
import io
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


@dataclass(frozen=True)
class Digits:
    images: np.ndarray  # uint8 [n, 8, 8], 0 is paper and 255 is ink
    labels: np.ndarray  # int64 [n], 0..9

    def __len__(self) -> int:
        return len(self.labels)

    def inputs(self) -> np.ndarray:
        """What the models take: float32 [n, 1, 8, 8], byte / 255."""
        return self.images[:, None].astype(np.float32) / np.float32(255)


def load_split(seed: int) -> tuple[Digits, Digits, Digits]:
    """(train, calibration, held-out), stratified by label.

    Calibration is a part of train: its images set the ranges of the int8 activations and need not
    be unseen. Held-out is 30 % and touches neither training nor calibration.
    """
    raw = load_digits()
    images = np.round(raw.images * (255 / 16)).astype(np.uint8)  # the data set's pixels are 0..16
    labels = raw.target.astype(np.int64)
    train, held_out = train_test_split(
        np.arange(len(labels)), test_size=0.3, stratify=labels, random_state=seed
    )
    _, calibration = train_test_split(
        train, test_size=256, stratify=labels[train], random_state=seed
    )
    return tuple(Digits(images[rows], labels[rows]) for rows in (train, calibration, held_out))


def encode_png(image: np.ndarray) -> bytes:
    """uint8 [8, 8] -> an 8-bit grayscale PNG."""
    buffer = io.BytesIO()
    Image.fromarray(image).save(buffer, format="PNG", optimize=True)
    return buffer.getvalue()


def decode_png(png: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(png)) as image:
        if image.mode != "L":
            raise ValueError(f"expected an 8-bit grayscale PNG, got mode {image.mode}")
        return np.asarray(image)


def write_jsonl(digits: Digits, path: Path) -> None:
    with path.open("w", encoding="ascii", newline="\n") as file:
        for number, (image, label) in enumerate(zip(digits.images, digits.labels), start=1):
            png = base64.b64encode(encode_png(image)).decode("ascii")
            row = {"id": f"digit-{number:04}", "image": png, "label": str(label)}
            file.write(json.dumps(row, separators=(",", ":")) + "\n")


def read_jsonl(path: Path) -> Digits:
    rows = [json.loads(line) for line in path.read_text("ascii").splitlines()]
    images = np.stack([decode_png(base64.b64decode(row["image"])) for row in rows])
    return Digits(images, np.array([int(row["label"]) for row in rows], dtype=np.int64))
