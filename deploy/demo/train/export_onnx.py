"""torch module -> one self-contained ONNX file with a dynamic batch."""

import logging
import warnings
from pathlib import Path

import onnx
import torch
from torch import nn

OPSET = 18
IR_VERSION = 10  # readable by every onnxruntime since 1.18

# The exporter remarks on each export that torchvision, which we do not use, is absent.
logging.getLogger("torch.onnx").setLevel(logging.ERROR)
warnings.filterwarnings("ignore", category=FutureWarning, module="copyreg")


def export(model: nn.Module, example: torch.Tensor, input: str, output: str, path: Path) -> None:
    """`example` has any batch of two or more; in the file its first dimension is named `batch`."""
    program = torch.onnx.export(
        model.eval(),
        (example,),
        input_names=[input],
        output_names=[output],
        opset_version=OPSET,
        dynamic_shapes=({0: torch.export.Dim("batch")},),
        dynamo=True,
        verbose=False,
    )
    proto = program.model_proto
    strip_provenance(proto)
    proto.ir_version = IR_VERSION
    onnx.checker.check_model(proto, full_check=True)
    path.write_bytes(proto.SerializeToString(deterministic=True))


def strip_provenance(proto: onnx.ModelProto) -> None:
    """The exporter notes stack traces with the paths of the machine that ran it; drop them."""
    del proto.metadata_props[:]
    del proto.graph.metadata_props[:]
    for part in (*proto.graph.node, *proto.graph.initializer, *proto.graph.value_info,
                 *proto.graph.input, *proto.graph.output):
        del part.metadata_props[:]
        part.doc_string = ""
