"""python make_models.py DIRECTORY: writes every model of the benches as ONNX, weights random and the same each time."""

import sys
from pathlib import Path

import numpy as np
import onnx
import torch
from networks import Encoder, FromPixels, mlp, mobilenet_v2, resnet18, resnet50
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

OPSET = 17
CALIBRATION_ROWS = 8


def settled(network, example):
    """Gives batch normalisation the statistics of random inputs, so that activations stay in range through all layers."""
    for module in network.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.momentum = None
    network.train()
    with torch.no_grad():
        for _ in range(2):
            network(torch.randn(8, *example.shape[1:]))
    return network.eval()


def export(network, inputs, file, dynamic=("batch",)):
    """`dynamic`: the names of the leading dimensions that may have any size, alike for all inputs."""
    axes = {name: dict(enumerate(dynamic)) for name in inputs} | {"output": {0: "batch"}}
    torch.onnx.export(
        network.eval(),
        tuple(inputs.values()),
        str(file),
        input_names=list(inputs),
        output_names=["output"],
        dynamic_axes=axes,
        opset_version=OPSET,
        dynamo=False,
    )
    onnx.checker.check_model(str(file), full_check=True)


class RandomRows(CalibrationDataReader):
    def __init__(self, rows):
        self.rows = iter(rows)

    def get_next(self):
        return next(self.rows, None)


def quantize(file, into, rows):
    """QDQ, activations U8, weights S8 per channel."""
    prepared = into.with_suffix(".prepared.onnx")
    quant_pre_process(str(file), str(prepared), skip_symbolic_shape=True)
    quantize_static(
        str(prepared),
        str(into),
        RandomRows(rows),
        quant_format=QuantFormat.QDQ,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
        per_channel=True,
    )
    prepared.unlink()


def make_image_model(directory, name, network, size):
    example = torch.randn(1, 3, size, size)
    network = settled(network, example)
    export(network, {"input": example}, directory / f"{name}.onnx")
    return network


def make_quantized_image_model(directory, name, network, size):
    """Besides the plain one: INT8, and both from pixels."""
    network = make_image_model(directory, name, network, size)
    random = np.random.default_rng(7)
    floats = [{"input": random.standard_normal((1, 3, size, size), np.float32)} for _ in range(CALIBRATION_ROWS)]
    quantize(directory / f"{name}.onnx", directory / f"{name}-int8.onnx", floats)

    pixels = directory / f"{name}-pixels.onnx"
    export(FromPixels(network), {"input": torch.zeros(1, 3, size, size, dtype=torch.uint8)}, pixels)
    bytes_ = [{"input": random.integers(0, 256, (1, 3, size, size), np.uint8)} for _ in range(CALIBRATION_ROWS)]
    quantize(pixels, directory / f"{name}-pixels-int8.onnx", bytes_)
    torch.save(network.state_dict(), directory / f"{name}.pt")


def make_all(directory):
    directory.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(7)
    export(mlp(64, 128, 64, 10), {"input": torch.randn(1, 64)}, directory / "mlp-64.onnx")
    export(mlp(784, 512, 512, 10), {"input": torch.randn(1, 784)}, directory / "mlp-784.onnx")
    make_image_model(directory, "mobilenet-v2", mobilenet_v2(), 224)
    ids = torch.zeros(1, 16, dtype=torch.int64)
    tokens = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    export(Encoder(), tokens, directory / "encoder.onnx", dynamic=("batch", "sequence"))
    make_quantized_image_model(directory, "resnet18-112", resnet18(), 112)
    make_quantized_image_model(directory, "resnet50", resnet50(), 224)


if __name__ == "__main__":
    make_all(Path(sys.argv[1]))
