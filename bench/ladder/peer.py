"""One engine in a bare loop. `python peer.py ENGINE MODEL FOLDER ROWS THREADS [STREAMS]`, where ENGINE is eager,
onnxruntime, openvino or arithmetic. Speaks over Node's channel (JSON, a line each): {"durationMs": n} in, the round's
figures out."""

import ctypes
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ANSWER_ELEMENTS = 16
RESNET50_MULTIPLY_ADDS = 4_089_184_256


def input_of(model, rows):
    """The same elements as models.ts makes."""
    side = 112 if "-112" in model else 224
    i = np.arange(3 * side * side)
    if "-pixels" in model:
        row = (i * 37 % 256).astype(np.uint8)
    else:
        row = (np.floor(64 * (np.sin(i * 0.37) + np.cos(i * 0.011))) / 64).astype(np.float32)
    return np.tile(row, rows).reshape(rows, 3, side, side)


def eager(model, folder, data, threads):
    import torch

    sys.path.insert(0, str(Path(__file__).parent.parent / "models"))
    import networks

    torch.set_num_threads(threads)
    network = {"resnet50": networks.resnet50, "resnet18-112": networks.resnet18}[model]()
    network.load_state_dict(torch.load(folder / f"{model}.pt"))
    network.eval()
    tensor = torch.from_numpy(data)

    def run():
        with torch.inference_mode():
            return network(tensor).numpy()

    return run


def onnxruntime(model, folder, data, threads):
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = ort.InferenceSession(str(folder / f"{model}.onnx"), options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, {"input": data})[0]


def compile_for_openvino(model, folder, data, **config):
    import openvino as ov

    core = ov.Core()
    network = core.read_model(str(folder / f"{model}.onnx"))
    network.reshape(data.shape)
    if not model.endswith("-int8"):
        # where the CPU has bfloat16, OpenVINO takes it unasked, and its answers are no longer float32's
        config["INFERENCE_PRECISION_HINT"] = "f32"
    return core.compile_model(network, "CPU", config)


def openvino(model, folder, data, threads):
    compiled = compile_for_openvino(
        model, folder, data, PERFORMANCE_HINT="LATENCY", INFERENCE_NUM_THREADS=threads, NUM_STREAMS=1
    )
    request = compiled.create_infer_request()
    return lambda: request.infer([data], share_inputs=True)[0]


def arithmetic(model, folder, data, threads):
    """No network: as many multiply-adds as a row of it needs, and nothing else."""
    with tempfile.TemporaryDirectory() as built:
        library = f"{built}/arithmetic.so"
        source = str(Path(__file__).with_name("arithmetic.c"))
        subprocess.run(["cc", "-O2", "-march=native", "-shared", "-fPIC", "-o", library, source], check=True)
        kernels = ctypes.CDLL(library)
    multiply_add = kernels.int8 if model.endswith("-int8") else kernels.float32
    count = ctypes.c_int64(len(data) * RESNET50_MULTIPLY_ADDS)
    nothing = np.empty(0)

    def run():
        multiply_add(count)
        return nothing

    return run


def loop(run, duration_ms):
    """Runs one after another."""
    latencies = []
    answer = []
    started = now = time.perf_counter()
    while (now - started) * 1000 < duration_ms:
        output = run()
        ended = time.perf_counter()
        latencies.append((ended - now) * 1000)
        answer = answer or output.ravel()[:ANSWER_ELEMENTS].tolist()
        now = ended
    return latencies, answer, now - started


def openvino_streams(model, folder, data, threads, streams):
    """As many runs at once as there are streams, as OpenVINO's own throughput mode has it."""
    import openvino as ov

    compiled = compile_for_openvino(
        model, folder, data, PERFORMANCE_HINT="THROUGHPUT", INFERENCE_NUM_THREADS=threads, NUM_STREAMS=streams
    )
    queue = ov.AsyncInferQueue(compiled, 2 * streams)

    def measure(duration_ms):
        latencies = []
        ends = []
        answer = []

        def done(request, begun):
            ends.append(time.perf_counter())
            latencies.append((ends[-1] - begun) * 1000)
            if not answer:
                answer.extend(request.get_output_tensor(0).data.ravel()[:ANSWER_ELEMENTS].tolist())

        queue.set_callback(done)
        started = time.perf_counter()
        while (time.perf_counter() - started) * 1000 < duration_ms:
            queue.start_async([data], time.perf_counter(), share_inputs=True)
        queue.wait_all()
        return latencies, answer, max(ends, default=started) - started

    return measure


def main():
    engine, model, folder, rows, threads, *streams = sys.argv[1:]
    rows, threads, folder = int(rows), int(threads), Path(folder)
    data = input_of(model, rows)
    if streams:
        measure = openvino_streams(model, folder, data, threads, int(streams[0]))
    else:
        engines = {"eager": eager, "onnxruntime": onnxruntime, "openvino": openvino, "arithmetic": arithmetic}
        run = engines[engine](model, folder, data, threads)

        def measure(duration_ms):
            return loop(run, duration_ms)

    channel = socket.socket(fileno=int(os.environ["NODE_CHANNEL_FD"]))
    with channel.makefile("r") as questions:
        for question in questions:
            latencies, answer, seconds = measure(json.loads(question)["durationMs"])
            done = len(latencies) * rows
            rate = done / seconds if done else 0
            figures = {"rowsPerSecond": rate, "rows": done, "latenciesMs": latencies, "errors": 0, "answer": answer}
            channel.sendall((json.dumps(figures) + "\n").encode())


main()
