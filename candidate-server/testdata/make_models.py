"""Makes the small models that the tests beside this folder use. Run it with onnx and numpy installed."""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper

HERE = Path(__file__).parent


def tensor(name, values, dtype):
    return numpy_helper.from_array(np.array(values, dtype=dtype), name)


def save(file, nodes, inputs, outputs, constants=(), opset=17):
    def info(name, kind, shape):
        return h.make_tensor_value_info(name, kind, shape)

    graph = h.make_graph(nodes, file, [info(*i) for i in inputs], [info(*o) for o in outputs], list(constants))
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", opset)], ir_version=8 if opset < 20 else 9)
    onnx.checker.check_model(model)
    onnx.save(model, HERE / f"{file}.onnx")


# two inputs
save(
    "sum",
    [h.make_node("Add", ["a", "b"], ["total"])],
    [("a", T.FLOAT, ["batch", 2]), ("b", T.FLOAT, ["batch", 2])],
    [("total", T.FLOAT, ["batch", 2])],
)

# every element type, returned unchanged
TYPES = {
    "fp16": T.FLOAT16, "fp32": T.FLOAT, "fp64": T.DOUBLE, "int8": T.INT8, "uint8": T.UINT8, "int16": T.INT16,
    "uint16": T.UINT16, "int32": T.INT32, "uint32": T.UINT32, "int64": T.INT64, "uint64": T.UINT64, "bool": T.BOOL,
    "bytes": T.STRING,
}  # fmt: skip
save(
    "echo-types",
    [h.make_node("Identity", [name], [f"{name}_out"]) for name in TYPES],
    [(name, kind, ["batch", 2]) for name, kind in TYPES.items()],
    [(f"{name}_out", kind, ["batch", 2]) for name, kind in TYPES.items()],
)

# batches of exactly four
save(
    "fixed-batch",
    [h.make_node("Mul", ["x", "ten"], ["y"])],
    [("x", T.FLOAT, [4, 2])],
    [("y", T.FLOAT, [4, 2])],
    [tensor("ten", 10, np.float32)],
)

# no batch at all
save(
    "no-batch",
    [h.make_node("Mul", ["x", "ten"], ["y"])],
    [("x", T.FLOAT, [])],
    [("y", T.FLOAT, [])],
    [tensor("ten", 10, np.float32)],
)

# no inputs
save("no-inputs", [h.make_node("Constant", [], ["y"], value=tensor("", [1, 2], np.float32))], [], [("y", T.FLOAT, [2])])

# names that are special on JavaScript objects
TAKEN = ["__proto__", "constructor", "0", "a.b/c:0", "x"]
GIVEN = ["toString", "then", "length", "größe", "X"]
save(
    "odd-names",
    [h.make_node("Neg", [taken], [given]) for taken, given in zip(TAKEN, GIVEN)],
    [(name, T.FLOAT, ["batch", 1]) for name in TAKEN],
    [(name, T.FLOAT, ["batch", 1]) for name in GIVEN],
)
save(
    "output-proto",
    [h.make_node("Identity", ["x"], ["__proto__"])],
    [("x", T.FLOAT, ["batch", 2])],
    [("__proto__", T.FLOAT, ["batch", 2])],
)

# one image in; the output has no dimension for images
save(
    "one-image",
    [h.make_node("Reshape", ["image", "shape"], ["scores"])],
    [("image", T.FLOAT, [1, 3, 2, 2])],
    [("scores", T.FLOAT, [12])],
    [tensor("shape", [12], np.int64)],
)

# one image in; the output has one row per object found
save(
    "one-image-any-rows",
    [h.make_node("NonZero", ["image"], ["found"]), h.make_node("Transpose", ["found"], ["places"], perm=[1, 0])],
    [("image", T.FLOAT, [1, 3, 2, 2])],
    [("places", T.INT64, ["rows", 4])],
)

# mixes the rows of a batch, which its metadata does not show
save(
    "mean-of-rows",
    [h.make_node("ReduceMean", ["x"], ["mean"], axes=[0], keepdims=1)],
    [("x", T.FLOAT, ["batch", 2])],
    [("mean", T.FLOAT, ["rows", 2])],
)

# the same, and its shapes do not show it either
save(
    "softmax-of-rows",
    [h.make_node("Softmax", ["x"], ["y"], axis=0)],
    [("x", T.FLOAT, ["batch", 2])],
    [("y", T.FLOAT, ["batch", 2])],
)
save(
    "softmax-of-four",
    [h.make_node("Softmax", ["x"], ["y"], axis=0)],
    [("x", T.FLOAT, [4, 2])],
    [("y", T.FLOAT, [4, 2])],
)

# takes the steps of a row for rows: with one step each, that makes no difference
save(
    "steps-for-rows",
    [
        h.make_node("Shape", ["x"], ["shape"]),
        h.make_node("Gather", ["shape", "other"], ["turned"]),
        h.make_node("Reshape", ["x", "turned"], ["columns"]),
        h.make_node("ReduceSum", ["columns", "first"], ["y"], keepdims=0),
    ],
    [("x", T.FLOAT, ["batch", "steps"])],
    [("y", T.FLOAT, ["batch"])],
    [tensor("other", [1, 0], np.int64), tensor("first", [0], np.int64)],
)

# the first dimension is time and the output has none: it has as many rows as there are sequences
save(
    "sum-over-time",
    [h.make_node("ReduceSum", ["x", "first"], ["y"], keepdims=0)],
    [("x", T.FLOAT, ["time", "sequences", 2])],
    [("y", T.FLOAT, ["sequences", 2])],
    [tensor("first", [0], np.int64)],
)

# one model adds each row's place to it, the other divides each row by the number of rows
NUMBER_OF_ROWS = [h.make_node("Shape", ["x"], ["shape"]), h.make_node("Gather", ["shape", "zero"], ["rows"])]
save(
    "plus-row-number",
    [
        *NUMBER_OF_ROWS,
        h.make_node("Range", ["zero", "rows", "one"], ["numbers"]),
        h.make_node("Cast", ["numbers"], ["floats"], to=T.FLOAT),
        h.make_node("Unsqueeze", ["floats", "last"], ["column"]),
        h.make_node("Add", ["x", "column"], ["y"]),
    ],
    [("x", T.FLOAT, ["batch", 2])],
    [("y", T.FLOAT, ["batch", 2])],
    [tensor("zero", 0, np.int64), tensor("one", 1, np.int64), tensor("last", [1], np.int64)],
)
save(
    "share-of-row-count",
    [
        *NUMBER_OF_ROWS,
        h.make_node("Cast", ["rows"], ["divisor"], to=T.FLOAT),
        h.make_node("Div", ["x", "divisor"], ["y"]),
    ],
    [("x", T.FLOAT, ["batch", 2])],
    [("y", T.FLOAT, ["batch", 2])],
    [tensor("zero", 0, np.int64)],
)

# scores of all rows for all others, like those of texts for images
save(
    "all-pairs",
    [h.make_node("Gemm", ["a", "b"], ["scores"], transB=1)],
    [("a", T.FLOAT, ["queries", 2]), ("b", T.FLOAT, ["items", 2])],
    [("scores", T.FLOAT, ["queries", "items"])],
)

TEXT = ["input_ids", "attention_mask", "token_type_ids"]

# a text classifier as exported by Optimum: three inputs of any length, and their mean under the mask
random = np.random.default_rng(2)
embedding = tensor("embedding", random.standard_normal((10, 4)), np.float32)
save(
    "text-classifier",
    [
        h.make_node("Gather", ["embedding", "input_ids"], ["words"]),
        h.make_node("Gather", ["embedding", "token_type_ids"], ["types"]),
        h.make_node("Add", ["words", "types"], ["sum"]),
        h.make_node("Cast", ["attention_mask"], ["mask"], to=T.FLOAT),
        h.make_node("Unsqueeze", ["mask", "last"], ["mask_of_each"]),
        h.make_node("Mul", ["sum", "mask_of_each"], ["masked"]),
        h.make_node("ReduceMean", ["masked"], ["pooled"], axes=[1], keepdims=0),
        h.make_node("MatMul", ["pooled", "head"], ["logits"]),
    ],
    [(name, T.INT64, ["batch_size", "sequence_length"]) for name in TEXT],
    [("logits", T.FLOAT, ["batch_size", 3])],
    [embedding, tensor("last", [2], np.int64), tensor("head", random.standard_normal((4, 3)), np.float32)],
)

# like Whisper: sound of a fixed length, and the words so far
save(
    "speech-decoder",
    [
        h.make_node("ReduceMean", ["input_features"], ["heard"], axes=[2], keepdims=0),
        h.make_node("Unsqueeze", ["heard", "second"], ["heard_by_each"]),
        h.make_node("Gather", ["embedding", "decoder_input_ids"], ["words"]),
        h.make_node("Add", ["words", "heard_by_each"], ["logits"]),
    ],
    [("input_features", T.FLOAT, ["batch", 4, 6]), ("decoder_input_ids", T.INT64, ["batch", "decoder_sequence_length"])],
    [("logits", T.FLOAT, ["batch", "decoder_sequence_length", 4])],
    [embedding, tensor("second", [1], np.int64)],
)

# a decoder's keys: those of the past, which may be empty, and the current ones
save(
    "with-past",
    [h.make_node("Concat", ["past_key", "key"], ["present_key"], axis=2)],
    [("past_key", T.FLOAT, ["batch", 2, "past", 2]), ("key", T.FLOAT, ["batch", 2, 1, 2])],
    [("present_key", T.FLOAT, ["batch", 2, "past + 1", 2])],
)

# a classifier as exported by skl2onnx without ZipMap, in IR version 3
graph = h.make_graph(
    [
        h.make_node(
            "LinearClassifier",
            ["X"],
            ["label", "probabilities"],
            domain="ai.onnx.ml",
            classlabels_strings=["nein", "ja, größer"],
            coefficients=[1.0, 2.0, -1.0, -2.0],
            intercepts=[0.1, -0.1],
            post_transform="SOFTMAX",
        )
    ],
    "linear",
    [h.make_tensor_value_info("X", T.FLOAT, [None, 2])],
    [h.make_tensor_value_info("label", T.STRING, [None]), h.make_tensor_value_info("probabilities", T.FLOAT, [None, 2])],
)
opsets = [h.make_opsetid("", 9), h.make_opsetid("ai.onnx.ml", 1)]
onnx.save(h.make_model(graph, opset_imports=opsets, ir_version=3), HERE / "labels-of-texts.onnx")

# operators of another domain, and a function of its own
twice = h.make_function("own", "Twice", ["a"], ["b"], [h.make_node("Add", ["a", "a"], ["b"])], [h.make_opsetid("", 17)])
graph = h.make_graph(
    [
        h.make_node("Cast", ["x"], ["wide"], to=T.FLOAT),
        h.make_node("Gelu", ["wide"], ["gelu"], domain="com.microsoft"),
        h.make_node("Twice", ["gelu"], ["twice"], domain="own"),
        h.make_node("Cast", ["twice"], ["y"], to=T.FLOAT16),
    ],
    "domains",
    [h.make_tensor_value_info("x", T.FLOAT16, ["batch", 3])],
    [h.make_tensor_value_info("y", T.FLOAT16, ["batch", 3])],
)
opsets = [h.make_opsetid("", 17), h.make_opsetid("com.microsoft", 1), h.make_opsetid("own", 1)]
onnx.save(h.make_model(graph, opset_imports=opsets, ir_version=10, functions=[twice]), HERE / "domains.onnx")

# a bidirectional network with time as its first dimension, the default of torch.nn.LSTM, for one client's sequence
save(
    "time-first",
    [
        h.make_node("LSTM", ["x", "W", "R"], ["both"], hidden_size=2, direction="bidirectional"),
        h.make_node("ReduceSum", ["both", "second"], ["y"], keepdims=0),
    ],
    [("x", T.FLOAT, ["time", 1, 3])],
    [("y", T.FLOAT, ["time", 1, 2])],
    [
        tensor("W", random.standard_normal((2, 8, 3)), np.float32),
        tensor("R", random.standard_normal((2, 8, 2)), np.float32),
        tensor("second", [1], np.int64),
    ],
)

# rows are steps in time: each affects only those after it
save(
    "sum-so-far",
    [h.make_node("CumSum", ["x", "axis"], ["y"])],
    [("x", T.FLOAT, ["time", 2])],
    [("y", T.FLOAT, ["time", 2])],
    [tensor("axis", 0, np.int64)],
)

# and here only those before it
save(
    "sum-from-here",
    [h.make_node("CumSum", ["x", "axis"], ["y"], reverse=1)],
    [("x", T.FLOAT, ["time", 2])],
    [("y", T.FLOAT, ["time", 2])],
    [tensor("axis", 0, np.int64)],
)

# refuses images smaller than its kernel, and mixes the rows of larger ones
save(
    "softmax-of-images",
    [
        h.make_node("Conv", ["x", "kernel"], ["c"]),
        h.make_node("ReduceMean", ["c"], ["mean"], axes=[2, 3], keepdims=0),
        h.make_node("Softmax", ["mean"], ["y"], axis=0),
    ],
    [("x", T.FLOAT, ["batch", 1, "height", "width"])],
    [("y", T.FLOAT, ["batch", 2])],
    [tensor("kernel", np.linspace(-1, 1, 50).reshape(2, 1, 5, 5), np.float32)],
)
save(
    "no-outputs",
    [h.make_node("Neg", ["x"], ["y"])],
    [("x", T.FLOAT, ["batch", 2])],
    [],
)

# the rows decide together, but a row of zeros is always answered with zeros
save(
    "share-of-most",
    [
        h.make_node("Abs", ["x"], ["sizes"]),
        h.make_node("ReduceMax", ["sizes"], ["most"], keepdims=0),
        h.make_node("Max", ["most", "least"], ["divisor"]),
        h.make_node("Div", ["x", "divisor"], ["y"]),
    ],
    [("x", T.FLOAT, ["batch", 2])],
    [("y", T.FLOAT, ["batch", 2])],
    [tensor("least", 1e-9, np.float32)],
)
for file, kind in [
    ("share-of-brightest", T.UINT8),
    ("share-of-most-int8", T.INT8),
    ("share-of-most-uint16", T.UINT16),
    ("share-of-most-int32", T.INT32),
    ("share-of-most-int64", T.INT64),
]:
    save(
        file,
        [
            h.make_node("Cast", ["x"], ["pixels"], to=T.FLOAT),
            h.make_node("ReduceMax", ["pixels"], ["most"], keepdims=0),
            h.make_node("Max", ["most", "least"], ["divisor"]),
            h.make_node("Div", ["pixels", "divisor"], ["y"]),
        ],
        [("x", kind, ["batch", 2])],
        [("y", T.FLOAT, ["batch", 2])],
        [tensor("least", 1, np.float32)],
    )

# looks up a value for each element in a table, and subtracts the maximum over all rows
for file, kind, values in [("of-two-floats", T.FLOAT, [1, 2]), ("of-two-bytes", T.UINT8, [1, 2]), ("of-one", T.INT64, [1])]:
    save(
        f"kinds-{file}",
        [
            h.make_node("Cast", ["x"], ["kinds"], to=T.INT64),
            h.make_node("Gather", ["values", "kinds"], ["found"]),
            h.make_node("ReduceMax", ["found"], ["most"], axes=[0], keepdims=1),
            h.make_node("Sub", ["found", "most"], ["y"]),
        ],
        [("x", kind, ["batch", 9])],
        [("y", T.FLOAT, ["batch", 9])],
        [tensor("values", values, np.float32)],
    )

# answers 0 or 1 at random
save(
    "lots",
    [
        h.make_node("Mul", ["x", "nothing"], ["none"]),
        h.make_node("Sigmoid", ["none"], ["half"]),
        h.make_node("Bernoulli", ["half"], ["y"]),
    ],
    [("x", T.FLOAT, ["batch", 1])],
    [("y", T.FLOAT, ["batch", 1])],
    [tensor("nothing", 0, np.float32)],
)


def branch(name, operator):
    output = h.make_tensor_value_info(name, T.FLOAT, None)
    return h.make_graph([h.make_node(operator, ["x"], [name])], name, [], [output])


for file, comparison in [("branch-by-most", "ReduceMax"), ("branch-by-least", "ReduceMin")]:
    save(
        file,
        [
            h.make_node(comparison, ["x"], ["one"], keepdims=0),
            h.make_node("Greater" if comparison == "ReduceMax" else "Less", ["one", "zero"], ["any"]),
            h.make_node("If", ["any"], ["y"], then_branch=branch("same", "Identity"), else_branch=branch("less", "Neg")),
        ],
        [("x", T.FLOAT, ["batch", 2])],
        [("y", T.FLOAT, ["batch", 2])],
        [tensor("zero", 0, np.float32)],
    )

# one returns the number of words in a text as a share of the maximum over all rows, the other the words, padded to the
# longest row
for file, share in [("share-of-words", True), ("words-of-longest", False)]:
    nodes = [h.make_node("StringSplit", ["x"], ["words", "counts"])]
    if share:
        nodes += [
            h.make_node("Cast", ["counts"], ["amounts"], to=T.FLOAT),
            h.make_node("ReduceMax", ["amounts"], ["most"], keepdims=0),
            h.make_node("Max", ["most", "least"], ["divisor"]),
            h.make_node("Div", ["amounts", "divisor"], ["y"]),
        ]
    else:
        nodes += [h.make_node("Squeeze", ["words", "second"], ["y"])]
    save(
        file,
        nodes,
        [("x", T.STRING, ["batch", 1])],
        [("y", T.FLOAT, ["batch", 1])] if share else [("y", T.STRING, ["batch", "words"])],
        [tensor("least", 1, np.float32) if share else tensor("second", [1], np.int64)],
        opset=20,
    )

# each row minus an earlier one, adjacent or not
for file, distance in [("less-the-one-before", 1), ("less-the-second-before", 2), ("less-the-third-before", 3)]:
    save(
        file,
        [
            h.make_node("Slice", ["x", "from", "to", "first"], ["all_but_last"]),
            h.make_node("Pad", ["all_but_last", "before_all", "zero"], ["before"]),
            h.make_node("Sub", ["x", "before"], ["y"]),
        ],
        [("x", T.FLOAT, [5, 2])],
        [("y", T.FLOAT, [5, 2])],
        [
            tensor("from", [0], np.int64),
            tensor("to", [-distance], np.int64),
            tensor("first", [0], np.int64),
            tensor("before_all", [distance, 0, 0, 0], np.int64),
            tensor("zero", 0, np.float32),
        ],
    )

# each row minus the mean of its group; a group is made of every nth row, as in StyleGAN2
save(
    "less-the-mean-of-group",
    [
        h.make_node("Reshape", ["x", "in_groups"], ["grouped"]),
        h.make_node("ReduceMean", ["grouped"], ["mean"], axes=[0], keepdims=1),
        h.make_node("Sub", ["grouped", "mean"], ["less"]),
        h.make_node("Reshape", ["less", "in_rows"], ["y"]),
    ],
    [("x", T.FLOAT, [8, 2])],
    [("y", T.FLOAT, [8, 2])],
    [tensor("in_groups", [4, 2, 2], np.int64), tensor("in_rows", [8, 2], np.int64)],
)

# adds one to one row of two if the other is beyond a limit
for file, other, comparison, limit in [
    ("more-by-large-first", 0, "Greater", 1.5),
    ("more-by-large-second", 1, "Greater", 1.5),
    ("more-by-small-first", 0, "Less", -1.5),
    ("more-by-small-second", 1, "Less", -1.5),
]:
    save(
        file,
        [
            h.make_node("Gather", ["x", "other"], ["told"]),
            h.make_node(comparison, ["told", "limit"], ["is_beyond"]),
            h.make_node("Cast", ["is_beyond"], ["more"], to=T.FLOAT),
            h.make_node("Mul", ["more", "one_row"], ["added"]),
            h.make_node("Add", ["x", "added"], ["y"]),
        ],
        [("x", T.FLOAT, [2, 2])],
        [("y", T.FLOAT, [2, 2])],
        [
            tensor("other", [other], np.int64),
            tensor("limit", limit, np.float32),
            tensor("one_row", [[other], [1 - other]], np.float32),
        ],
    )

# accepts only texts without words, and adds the minimum over all rows if it is negative
save(
    "least-beside-no-words",
    [
        h.make_node("StringSplit", ["text"], ["words", "counts"]),
        h.make_node("Gather", ["none", "counts"], ["nothing"]),
        h.make_node("ReduceMin", ["x"], ["least"], keepdims=0),
        h.make_node("Min", ["least", "zero"], ["below"]),
        h.make_node("Sum", ["x", "below", "nothing"], ["y"]),
    ],
    [("text", T.STRING, ["batch", 1]), ("x", T.FLOAT, ["batch", 2])],
    [("y", T.FLOAT, ["batch", 2])],
    [tensor("none", [0], np.float32), tensor("zero", 0, np.float32)],
    opset=20,
)

# a loop's body has an input with the model's input name and without a declared shape
body = h.make_graph(
    [h.make_node("Identity", ["more"], ["on"]), h.make_node("Add", ["x", "x"], ["twice"])],
    "body",
    [
        h.make_tensor_value_info("i", T.INT64, []),
        h.make_tensor_value_info("more", T.BOOL, []),
        h.make_tensor_value_info("x", T.FLOAT, None),
    ],
    [h.make_tensor_value_info("on", T.BOOL, []), h.make_tensor_value_info("twice", T.FLOAT, None)],
)
save(
    "inner-names",
    [h.make_node("Loop", ["times", "", "x"], ["y"], body=body)],
    [("x", T.FLOAT, ["batch", 2])],
    [("y", T.FLOAT, ["batch", 2])],
    [tensor("times", 2, np.int64)],
)

# its quantization range is computed over the whole batch
save(
    "dynamic-quantized",
    [
        h.make_node("DynamicQuantizeLinear", ["x"], ["q", "scale", "zero"]),
        h.make_node("DequantizeLinear", ["q", "scale", "zero"], ["y"]),
    ],
    [("x", T.FLOAT, ["batch", 2])],
    [("y", T.FLOAT, ["batch", 2])],
)

# fails on an index above 3
save(
    "table",
    [h.make_node("Gather", ["rows", "index"], ["row"])],
    [("index", T.INT64, ["batch"])],
    [("row", T.FLOAT, ["batch", 2])],
    [tensor("rows", [[0, 0], [1, 10], [2, 20], [3, 30]], np.float32)],
)

# the same for the sum of two indices, in batches of exactly four
save(
    "fixed-table",
    [h.make_node("Add", ["index", "offset"], ["place"]), h.make_node("Gather", ["rows", "place"], ["row"])],
    [("index", T.INT64, [4]), ("offset", T.INT64, [4])],
    [("row", T.FLOAT, [4, 2])],
    [tensor("rows", [[0, 0], [1, 10], [2, 20], [3, 30]], np.float32)],
)

# images, returned unchanged
save(
    "echo-rgb",
    [h.make_node("Identity", ["image"], ["pixels"])],
    [("image", T.FLOAT, ["batch", 3, 2, 2])],
    [("pixels", T.FLOAT, ["batch", 3, 2, 2])],
)
save(
    "echo-bytes",
    [h.make_node("Identity", ["image"], ["pixels"])],
    [("image", T.UINT8, ["batch", 2, 2, 3])],
    [("pixels", T.UINT8, ["batch", 2, 2, 3])],
)
save(
    "echo-grey",
    [h.make_node("Identity", ["image"], ["pixels"])],
    [("image", T.UINT8, ["batch", 1, 2, 2])],
    [("pixels", T.UINT8, ["batch", 1, 2, 2])],
)

# images of any size, in float16
save(
    "echo-any-size",
    [h.make_node("Identity", ["image"], ["pixels"])],
    [("image", T.UINT8, ["batch", 3, "height", "width"])],
    [("pixels", T.UINT8, ["batch", 3, "height", "width"])],
)
save(
    "echo-half",
    [h.make_node("Identity", ["image"], ["pixels"])],
    [("image", T.FLOAT16, ["batch", 3, 2, 2])],
    [("pixels", T.FLOAT16, ["batch", 3, 2, 2])],
)

# texts, returned unchanged
save(
    "echo-text",
    [h.make_node("Identity", [name], [f"{name}_out"]) for name in TEXT],
    [(name, T.INT64, ["batch", "tokens"]) for name in TEXT],
    [(f"{name}_out", T.INT64, ["batch", "tokens"]) for name in TEXT],
)
save(
    "echo-text-of-twelve",
    [h.make_node("Identity", [name], [f"{name}_out"]) for name in TEXT[:2]],
    [(name, T.INT32, ["batch", 12]) for name in TEXT[:2]],
    [(f"{name}_out", T.INT32, ["batch", 12]) for name in TEXT[:2]],
)

# two scores, which its metadata does not show
save(
    "hidden-scores",
    [h.make_node("Compress", ["x", "both"], ["scores"], axis=1)],
    [("x", T.FLOAT, ["batch", 2])],
    [("scores", T.FLOAT, ["batch", "classes"])],
    [tensor("both", [True, True], bool)],
)

# as slow as requested: multiplies 256 × 256 matrices `rounds` times, and returns `rounds`
body = h.make_graph(
    [
        h.make_node("MatMul", ["matrix_in", "matrix_in"], ["matrix_out"]),
        h.make_node("Identity", ["go_in"], ["go_out"]),
    ],
    "body",
    [
        h.make_tensor_value_info("i", T.INT64, []),
        h.make_tensor_value_info("go_in", T.BOOL, []),
        h.make_tensor_value_info("matrix_in", T.FLOAT, [256, 256]),
    ],
    [
        h.make_tensor_value_info("go_out", T.BOOL, []),
        h.make_tensor_value_info("matrix_out", T.FLOAT, [256, 256]),
    ],
)
save(
    "slow",
    [
        h.make_node("ReduceMax", ["rounds"], ["most"], keepdims=0),
        h.make_node("Cast", ["most"], ["trips"], to=T.INT64),
        h.make_node("ConstantOfShape", ["size"], ["matrix"], value=h.make_tensor("value", T.FLOAT, [1], [1 / 256])),
        h.make_node("Loop", ["trips", "go", "matrix"], ["last"], body=body),
        h.make_node("ReduceSum", ["last"], ["all"], keepdims=0),
        h.make_node("Mul", ["all", "nothing"], ["none"]),
        h.make_node("Add", ["rounds", "none"], ["echo"]),
    ],
    [("rounds", T.FLOAT, ["batch", 1])],
    [("echo", T.FLOAT, ["batch", 1])],
    [tensor("go", True, bool), tensor("size", [256, 256], np.int64), tensor("nothing", 0, np.float32)],
)

# a small input and a large output: 4 MiB
save(
    "large-output",
    [h.make_node("Expand", ["x", "size"], ["y"])],
    [("x", T.FLOAT, [1])],
    [("y", T.FLOAT, [1048576])],
    [tensor("size", [1048576], np.int64)],
)

# as slow as requested too, for rows of any length; the largest element is the number of rounds
save(
    "slow-length",
    [
        h.make_node("ReduceMax", ["rounds"], ["most"], keepdims=0),
        h.make_node("Cast", ["most"], ["trips"], to=T.INT64),
        h.make_node("ConstantOfShape", ["size"], ["matrix"], value=h.make_tensor("value", T.FLOAT, [1], [1 / 256])),
        h.make_node("Loop", ["trips", "go", "matrix"], ["last"], body=body),
        h.make_node("ReduceSum", ["last"], ["all"], keepdims=0),
        h.make_node("Mul", ["all", "nothing"], ["none"]),
        h.make_node("Add", ["rounds", "none"], ["echo"]),
    ],
    [("rounds", T.FLOAT, ["batch", "length"])],
    [("echo", T.FLOAT, ["batch", "length"])],
    [tensor("go", True, bool), tensor("size", [256, 256], np.int64), tensor("nothing", 0, np.float32)],
)

# takes a size, whose square determines its memory, and the number of rounds for which it keeps it
body = h.make_graph(
    [h.make_node("Identity", ["go_in"], ["go_out"]), h.make_node("Neg", ["matrix_in"], ["matrix_out"])],
    "round",
    [
        h.make_tensor_value_info("i", T.INT64, []),
        h.make_tensor_value_info("go_in", T.BOOL, []),
        h.make_tensor_value_info("matrix_in", T.FLOAT, None),
    ],
    [h.make_tensor_value_info("go_out", T.BOOL, []), h.make_tensor_value_info("matrix_out", T.FLOAT, None)],
)
save(
    "swells",
    [
        h.make_node("ReduceMax", ["size"], ["side"], keepdims=0),
        h.make_node("Expand", ["side", "two"], ["sides"]),
        h.make_node("ConstantOfShape", ["sides"], ["matrix"], value=h.make_tensor("value", T.FLOAT, [1], [1])),
        h.make_node("ReduceMax", ["rounds"], ["trips"], keepdims=0),
        h.make_node("Loop", ["trips", "go", "matrix"], ["last"], body=body),
        h.make_node("Shape", ["last"], ["ended"]),
        h.make_node("Gather", ["ended", "first"], ["y"]),
    ],
    [("size", T.INT64, [1]), ("rounds", T.INT64, [1])],
    [("y", T.INT64, [1])],
    [tensor("two", [2], np.int64), tensor("go", True, bool), tensor("first", [0], np.int64)],
)

# multiplies by two constants stored in two files beside it
for name, values in {"a": [1, 2], "b": [10, 100]}.items():
    (HERE / f"external-{name}.data").write_bytes(np.array(values, np.float32).tobytes())


def outside(name):
    constant = onnx.TensorProto(name=name, data_type=T.FLOAT, dims=[2], data_location=onnx.TensorProto.EXTERNAL)
    for key, value in {"location": f"external-{name}.data", "offset": "0", "length": "8"}.items():
        constant.external_data.add(key=key, value=value)
    return constant


save(
    "external",
    [h.make_node("Mul", ["x", "a"], ["xa"]), h.make_node("Mul", ["xa", "b"], ["y"])],
    [("x", T.FLOAT, ["batch", 2])],
    [("y", T.FLOAT, ["batch", 2])],
    [outside("a"), outside("b")],
)

# models that the runtime refuses
save(
    "bfloat16",
    [h.make_node("Mul", ["x", "x"], ["y"])],
    [("x", T.BFLOAT16, ["batch", 2])],
    [("y", T.BFLOAT16, ["batch", 2])],
)
save(
    "bfloat16-inside",
    [
        h.make_node("Cast", ["x"], ["x16"], to=T.BFLOAT16),
        h.make_node("Softmax", ["x16"], ["y16"]),
        h.make_node("Add", ["y16", "one"], ["z16"]),
        h.make_node("Cast", ["z16"], ["y"], to=T.FLOAT),
    ],
    [("x", T.FLOAT, ["batch", 2])],
    [("y", T.FLOAT, ["batch", 2])],
    [h.make_tensor("one", T.BFLOAT16, [1], [1.0])],
)
future = onnx.load(HERE / "sum.onnx")
future.opset_import[0].version = 99
onnx.save(future, HERE / "future-opset.onnx")
future.opset_import[0].version = 17
future.ir_version = 99
onnx.save(future, HERE / "future-ir.onnx")
future.ir_version = 8
future.opset_import.add(domain="ai.onnx.ml", version=99)
onnx.save(future, HERE / "future-ml-opset.onnx")
for file, operator, domain in [("custom-operator", "Tokens", "com.acme"), ("no-such-operator", "Frobnicate", "")]:
    unknown = onnx.load(HERE / "sum.onnx")
    unknown.opset_import.add(domain="com.acme", version=1)
    unknown.graph.node[0].op_type = operator
    unknown.graph.node[0].domain = domain
    onnx.save(unknown, HERE / f"{file}.onnx")
save(
    "far-locale",
    [h.make_node("StringNormalizer", ["x"], ["y"], case_change_action="LOWER", locale="xx_XX.UTF-8")],
    [("x", T.STRING, ["words"])],
    [("y", T.STRING, ["words"])],
)
no_rank = onnx.load(HERE / "sum.onnx")
no_rank.graph.input[1].type.tensor_type.ClearField("shape")
onnx.save(no_rank, HERE / "no-rank.onnx")

# an output of one row each, and nothing tells how many dimensions it has
save(
    "open-rank",
    [
        h.make_node("Shape", ["x"], ["shape"]),
        h.make_node("Compress", ["shape", "both"], ["same"]),
        h.make_node("Reshape", ["x", "same"], ["y"]),
    ],
    [("x", T.FLOAT, ["batch", 2])],
    [("y", T.FLOAT, ["batch", 2])],
    [tensor("both", [True, True], np.bool_)],
)
open_rank = onnx.load(HERE / "open-rank.onnx")
open_rank.graph.output[0].type.tensor_type.ClearField("shape")
onnx.save(open_rank, HERE / "open-rank.onnx")

# quantized to 8 bits: activations unsigned; weights signed, signed with a reduced range, or unsigned
for kind, dtype, weight in [("u8s8", np.int8, 100), ("u8s7", np.int8, -64), ("u8u8", np.uint8, 100)]:
    save(
        f"qdq-{kind}",
        [
            h.make_node("QuantizeLinear", ["x", "scale", "zero"], ["xq"]),
            h.make_node("DequantizeLinear", ["xq", "scale", "zero"], ["xd"]),
            h.make_node("DequantizeLinear", ["w", "scale", "weight_zero"], ["wd"]),
            h.make_node("MatMul", ["xd", "wd"], ["y"]),
        ],
        [("x", T.FLOAT, ["batch", 2])],
        [("y", T.FLOAT, ["batch", 2])],
        [
            tensor("scale", 0.1, np.float32),
            tensor("zero", 0, np.uint8),
            tensor("weight_zero", 0, dtype),
            tensor("w", [[weight, 0], [0, weight]], dtype),
        ],
    )

# convolutions in 8 bits: one with many weights and a zero point for each channel, as ONNX Runtime's quantizer writes
# them, one with few, and two that share theirs
weights = np.random.default_rng(1).integers(-60, 61, (64, 64, 3, 3))
quantized = [h.make_node("QuantizeLinear", ["x", "scale", "zero"], ["xq0"])]
for i, taken in enumerate(["many", "few", "shared", "shared"]):
    quantized += [
        h.make_node("DequantizeLinear", [f"xq{i}", "scale", "zero"], [f"xd{i}"]),
        h.make_node("DequantizeLinear", [taken, f"{taken}_scale", f"{taken}_zero"], [f"wd{i}"], axis=0),
        h.make_node("Conv", [f"xd{i}", f"wd{i}"], [f"c{i}"], pads=[1, 1, 1, 1] if taken == "many" else [0] * 4),
        h.make_node("QuantizeLinear", [f"c{i}", "scale", "zero"], [f"xq{i + 1}"]),
    ]
save(
    "qdq-convolutions",
    [*quantized, h.make_node("DequantizeLinear", ["xq4", "scale", "zero"], ["y"])],
    [("x", T.FLOAT, ["batch", 64, 6, 6])],
    [("y", T.FLOAT, ["batch", 64, 6, 6])],
    [
        tensor("scale", 0.05, np.float32),
        tensor("zero", 100, np.uint8),
        tensor("many_scale", [0.002] * 64, np.float32),
        h.make_tensor("many_zero", T.INT8, [64], [0] * 64),
        *[tensor(f"{taken}_scale", 0.002, np.float32) for taken in ["few", "shared"]],
        *[tensor(f"{taken}_zero", 0, np.int8) for taken in ["few", "shared"]],
        tensor("many", weights, np.int8),
        *[tensor(taken, weights[:, :, :1, :1], np.int8) for taken in ["few", "shared"]],
    ],
)

# a first convolution with stride two in 8 bits: two realistic kernels, one of them from bytes with
# padding on one side, one before a Relu, one with a convolution of many weights after it, and one for each reason to leave
# it as it is
def save_stem(file, size=(12, 16), channels=3, kernel=7, pads=(3, 3, 3, 3), pixels=False, zero=0, scales=1, also=(), outputs=(), more_channels=0, kind=np.uint8, y_kind=np.uint8, y_zero=100, block=0, relu=False, floats=False, **more):
    attributes = {"strides": [2, 2], **more}
    groups = attributes.get("group", 1)
    weights = np.random.default_rng(1).integers(-60, 61, (6, channels // groups, kernel, kernel))
    image = [
        h.make_node("Cast", ["x"], ["floats"], to=T.FLOAT),
        h.make_node("Sub", ["floats", "mean"], ["centred"]),
        h.make_node("Div", ["centred", "deviation"], ["image"]),
    ]
    after = [
        h.make_node("DequantizeLinear", ["more", "more_scale", "more_zero"], ["mored"]),
        h.make_node("Conv", ["first", "mored"], ["c3"], pads=[3] * 4),
        h.make_node("QuantizeLinear", ["c3", "y_scale", "y_zero"], ["c3q"]),
        h.make_node("DequantizeLinear", ["c3q", "y_scale", "y_zero"], ["y"]),
    ]
    more_tensors = [
        tensor("more", np.random.default_rng(2).integers(-60, 61, (more_channels, 6, 7, 7)), np.int8),
        tensor("more_scale", 0.002, np.float32),
        tensor("more_zero", 0, np.int8),
    ]
    quantized = [
        h.make_node("QuantizeLinear", ["r" if relu else "c", "y_scale", "y_zero"], ["cq"]),
        h.make_node("DequantizeLinear", ["cq", "y_scale", "y_zero"], ["first" if more_channels else "y"]),
    ]
    blocks = {"block_size": block} if block else {}
    w_scale = np.full((6 // block, *weights.shape[1:]), 0.002) if block else [0.002, 0.003] * 3
    save(
        file,
        [
            *(image if pixels else []),
            h.make_node("QuantizeLinear", ["image" if pixels else "x", "scale", "zero"], ["xq"]),
            h.make_node("DequantizeLinear", ["xq", "scale", "zero"], ["xd"]),
            h.make_node("DequantizeLinear", ["w", "w_scale", *([] if block else ["w_zero"])], ["wd"], axis=0, **blocks),
            h.make_node("DequantizeLinear", ["b", "b_scale"], ["bd"], axis=0),
            h.make_node("Conv", ["xd", "wd", "bd"], ["y" if floats else "c"], pads=pads, **attributes),
            *([h.make_node("Relu", ["c"], ["r"])] if relu else []),
            *also,
            *([] if floats else quantized),
            *(after if more_channels else []),
        ],
        [("x", T.UINT8 if pixels else T.FLOAT, ["batch", channels, *size])],
        [("y", T.FLOAT, ["batch", more_channels or 6, "height", "width"]), *[(name, T.FLOAT, [None] * 4) for name in outputs]],
        [
            *[tensor("mean", np.full((1, channels, 1, 1), 120), np.float32)][: int(pixels)],
            *[tensor("deviation", np.full((1, channels, 1, 1), 40), np.float32)][: int(pixels)],
            tensor("scale", 0.05 if scales == 1 else [0.05] * scales, np.float32),
            tensor("zero", 100 if scales == 1 else [100] * scales, kind),
            tensor("w", weights, np.int8),
            tensor("w_scale", w_scale, np.float32),
            h.make_tensor("w_zero", T.INT8, [6], [zero] * 6),
            tensor("b", range(6), np.int32),
            tensor("b_scale", [0.0001, 0.00015] * 3, np.float32),
            tensor("y_scale", 0.01, np.float32),
            tensor("y_zero", y_zero, y_kind),
            *(more_tensors if more_channels else []),
        ],
        opset=21 if block or kind == np.uint16 else 17,
    )


save_stem("stem")
save_stem("stem-of-pixels", kernel=3, pads=[0, 0, 1, 1], pixels=True)
save_stem("stem-of-grey", channels=1, kernel=5, pads=[2, 1, 2, 2], relu=True, y_zero=0)
save_stem("stem-and-more", more_channels=16)
save_stem("no-stem-odd-height", size=(13, 16))
save_stem("no-stem-any-size", size=("height", "width"))
save_stem("no-stem-every-pixel", strides=[1, 1])
save_stem("no-stem-dilated", dilations=[2, 2])
save_stem("no-stem-groups", group=3)
save_stem("no-stem-four-channels", channels=4)
save_stem("no-stem-zero-point", zero=3)
save_stem("no-stem-scale-a-channel", scales=3)
save_stem("no-stem-shared", outputs=["wd"])
save_stem("no-stem-given-out", outputs=["xd"])
save_stem("no-stem-16-bits", kind=np.uint16)
save_stem("no-stem-weights-in-blocks", block=2)
save_stem("no-stem-floats", floats=True)
save_stem("no-stem-output-shared", outputs=["c"])
save_stem("no-stem-signed-output", y_kind=np.int8)
save_stem("no-stem-relu", relu=True)
branch = h.make_graph(
    [h.make_node("Identity", ["xd"], ["taken"])], "branch", [], [h.make_tensor_value_info("taken", T.FLOAT, [None] * 4)]
)
condition = h.make_node("Constant", [], ["yes"], value=tensor("yes", True, np.bool_))
either = h.make_node("If", ["yes"], ["image_again"], then_branch=branch, else_branch=branch)
save_stem("no-stem-branches", also=[condition, either], outputs=["image_again"])

# a classifier as skl2onnx exports it by default: a list of {label: probability}
zipmap = h.make_graph(
    [h.make_node("ZipMap", ["x"], ["probabilities"], domain="ai.onnx.ml", classlabels_int64s=[0, 1])],
    "zipmap",
    [h.make_tensor_value_info("x", T.FLOAT, ["batch", 2])],
    [
        h.make_value_info(
            "probabilities",
            h.make_sequence_type_proto(h.make_map_type_proto(T.INT64, h.make_tensor_type_proto(T.FLOAT, []))),
        )
    ],
)
opsets = [h.make_opsetid("", 17), h.make_opsetid("ai.onnx.ml", 1)]
onnx.save(h.make_model(zipmap, opset_imports=opsets, ir_version=8), HERE / "zipmap.onnx")

# a list of tensors, as skl2onnx exports the probabilities of a MultiOutputClassifier
graph = h.make_graph(
    [h.make_node("SequenceConstruct", ["x", "x"], ["probabilities"])],
    "list-of-tensors",
    [h.make_tensor_value_info("x", T.FLOAT, ["batch", 2])],
    [h.make_tensor_sequence_value_info("probabilities", T.FLOAT, None)],
)
onnx.save(h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=8), HERE / "list-of-tensors.onnx")

# declares one label whatever the number of rows, as onnxmltools does for LightGBM
graph = h.make_graph(
    [h.make_node("ArgMax", ["x"], ["label"], axis=1, keepdims=0)],
    "label-of-one",
    [h.make_tensor_value_info("x", T.FLOAT, ["batch", 2])],
    [h.make_tensor_value_info("label", T.INT64, [1])],
)
onnx.save(h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=8), HERE / "label-of-one.onnx")

# declares any length and takes six, as the older PyTorch exporter leaves a Transformer
save(
    "length-of-six",
    [h.make_node("Reshape", ["x", "shape"], ["six"]), h.make_node("ReduceSum", ["six", "axes"], ["y"], keepdims=0)],
    [("x", T.FLOAT, ["batch", "length"])],
    [("y", T.FLOAT, ["batch"])],
    [tensor("shape", [-1, 6], np.int64), tensor("axes", [1], np.int64)],
)

# types that ONNX Runtime supports and this server does not; the first is unknown to its binding too
for kind, dtype, opset, ir_version in [("float8", T.FLOAT8E4M3FN, 19, 9), ("int4", T.INT4, 21, 10)]:
    graph = h.make_graph(
        [h.make_node("Cast", ["x"], ["y"], to=dtype)],
        kind,
        [h.make_tensor_value_info("x", T.FLOAT, ["batch", 2])],
        [h.make_tensor_value_info("y", dtype, ["batch", 2])],
    )
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", opset)], ir_version=ir_version)
    onnx.save(model, HERE / f"{kind}.onnx")
