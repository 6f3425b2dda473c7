"""float32 ONNX -> int8 ONNX: static, QDQ, ranges from calibration inputs."""

import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnxruntime.quantization import (
    CalibrationDataReader,
    CalibrationMethod,
    QuantFormat,
    QuantType,
    quantize_static,
)
from onnxruntime.quantization.shape_inference import quant_pre_process


class Batches(CalibrationDataReader):
    def __init__(self, name: str, inputs: np.ndarray, batch: int = 64):
        self.feeds = iter([{name: inputs[i : i + batch]} for i in range(0, len(inputs), batch)])

    def get_next(self) -> dict[str, np.ndarray] | None:
        return next(self.feeds, None)


def quantize(source: Path, target: Path, input: str, calibration: np.ndarray) -> None:
    """Quantize the convolutions and matrix products of `source`; all else stays float.

    Softmax and the scalings at the ends are a few operations on ten numbers: in int8 they would
    cost precision and save nothing.

    Types: int8 activations and int8 weights, one scale per output channel, weights held to 7 bits
    (`reduce_range`). On x86 onnxruntime turns int8 activations into uint8, and without VNNI it
    multiplies with VPMADDUBSW, which adds two products into 16 bits and saturates:
    2 * 255 * 127 = 64770 > 32767. With 7-bit weights 2 * 255 * 64 = 32640 fits, so that the model
    computes the same on an old CPU as on a new one. U8U8 is as safe, but VNNI multiplies uint8 by
    int8 only.
    """
    with tempfile.TemporaryDirectory() as scratch:
        prepared = Path(scratch) / "prepared.onnx"
        quant_pre_process(source, prepared, skip_symbolic_shape=True)
        quantize_static(
            prepared,
            target,
            Batches(input, calibration),
            quant_format=QuantFormat.QDQ,
            op_types_to_quantize=["Conv", "Gemm", "MatMul"],
            activation_type=QuantType.QInt8,
            weight_type=QuantType.QInt8,
            per_channel=True,
            reduce_range=True,
            calibrate_method=CalibrationMethod.MinMax,
        )
    proto = onnx.load(target)
    del proto.metadata_props[:]
    onnx.checker.check_model(proto, full_check=True)
    target.write_bytes(proto.SerializeToString(deterministic=True))
