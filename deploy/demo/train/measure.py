"""What a file says, asked of the file itself through onnxruntime."""

from pathlib import Path

import numpy as np
import onnx
import onnxruntime


def run(path: Path, inputs: np.ndarray) -> np.ndarray:
    """float32 [n, ...] -> float32 [n, outputs]"""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    (output,) = session.run(None, {session.get_inputs()[0].name: inputs})
    return output


def agreement(a: np.ndarray, b: np.ndarray) -> float:
    """Share of rows with the same largest class."""
    return float((a.argmax(axis=1) == b.argmax(axis=1)).mean())


def accuracy(probabilities: np.ndarray, labels: np.ndarray) -> float:
    return float((probabilities.argmax(axis=1) == labels).mean())


def mae(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.abs(a.reshape(-1) - b.reshape(-1)).mean(dtype=np.float64))


def parameters(path: Path) -> int:
    """Weights and biases: all initializers but quantization's scales and the int64 shapes and axes."""
    graph = onnx.load(path).graph
    bookkeeping = {
        name
        for node in graph.node
        if node.op_type in ("QuantizeLinear", "DequantizeLinear")
        for name in node.input[1:]
    }
    return sum(
        int(np.prod(weight.dims))
        for weight in graph.initializer
        if weight.name not in bookkeeping and weight.data_type != onnx.TensorProto.INT64
    )


def opset_and_ir(path: Path) -> tuple[int, int]:
    proto = onnx.load(path)
    return max(o.version for o in proto.opset_import if o.domain == ""), proto.ir_version
