"""Calls a running server with NVIDIA's own client, and prints one JSON object: each check's name, and null or what went wrong.

python check_tritonclient.py HOST:PORT

The server has the model `echo` of version 1 (every element type, shape [-1, 2], each output NAME_out), `diabetes` of
version 7 (features FP32 [-1, 10] → progression [-1, 1]) and `digits` (image FP32 [-1, 1, 8, 8] → probabilities
[-1, 10], with the
labels "0" to "9").
"""

import asyncio
import json
import sys
import traceback
import urllib.request

import numpy as np
import tritonclient.http as http
import tritonclient.http.aio as aio
from tritonclient.utils import InferenceServerException, np_to_triton_dtype

URL = sys.argv[1]

VALUES = {
    "fp16": np.array([[0.5, -2], [65504, 6.1e-5]], np.float16),
    "fp32": np.array([[0.1, -1e-20], [3.4028235e38, 1e-45]], np.float32),
    "fp64": np.array([[0.1, 1e300], [-5e-324, 2**53]], np.float64),
    "int8": np.array([[-128, 127], [0, 1]], np.int8),
    "uint8": np.array([[0, 255], [1, 2]], np.uint8),
    "int16": np.array([[-32768, 32767], [0, 1]], np.int16),
    "uint16": np.array([[0, 65535], [1, 2]], np.uint16),
    "int32": np.array([[-(2**31), 2**31 - 1], [0, 1]], np.int32),
    "uint32": np.array([[0, 2**32 - 1], [1, 2]], np.uint32),
    "int64": np.array([[-(2**63), 2**63 - 1], [2**53 + 1, -(2**53) - 1]], np.int64),
    "uint64": np.array([[0, 2**64 - 1], [2**53 + 1, 1]], np.uint64),
    "bool": np.array([[True, False], [False, True]], np.bool_),
    "bytes": np.array([["grüß".encode(), b""], [b"a b", "\ufeff日本".encode()]], np.object_),
}
NAMES = list(VALUES)


def inputs_of(values, binary=True):
    inputs = []
    for name, value in values.items():
        one = http.InferInput(name, list(value.shape), np_to_triton_dtype(value.dtype))
        inputs.append(one.set_data_from_numpy(value, binary_data=binary))
    return inputs


def assert_echo(result, values, text_type=bytes):
    for name, value in values.items():
        out = result.as_numpy(f"{name}_out")
        assert out is not None, f"no {name}_out"
        assert out.shape == value.shape, f"{name}: {out.shape} for {value.shape}"
        if name == "bytes":
            got = [x if isinstance(x, bytes) else str(x).encode() for x in out.ravel()]
            assert got == list(value.ravel()), f"bytes: {got}"
        else:
            assert out.dtype == value.dtype, f"{name}: {out.dtype}"
            np.testing.assert_array_equal(out, value, name)


def features(rows=3):
    return {"features": np.linspace(-0.1, 0.1, rows * 10, dtype=np.float32).reshape(rows, 10)}


def refused(call, status, text):
    try:
        call()
    except InferenceServerException as error:
        assert str(error.status()) == str(status), f"{error.status()}: {error.message()}"
        assert text in error.message(), error.message()
        return
    raise AssertionError("it was not refused")


def check_health(client):
    assert client.is_server_live() is True
    assert client.is_server_ready() is True
    assert client.is_model_ready("echo") is True
    assert client.is_model_ready("diabetes", "7") is True
    assert client.is_model_ready("diabetes", "8") is False
    assert client.is_model_ready("nobody") is False


def check_server_metadata(client):
    metadata = client.get_server_metadata()
    assert metadata["name"] == "understudy" and metadata["version"], metadata
    assert {"binary_tensor_data", "classification", "statistics"} <= set(metadata["extensions"]), metadata


def check_model_metadata(client):
    metadata = client.get_model_metadata("diabetes")
    assert metadata == client.get_model_metadata("diabetes", "7")
    assert metadata["name"] == "diabetes" and metadata["versions"] == ["7"], metadata
    assert metadata["inputs"] == [{"name": "features", "datatype": "FP32", "shape": [-1, 10]}], metadata
    assert metadata["outputs"] == [{"name": "progression", "datatype": "FP32", "shape": [-1, 1]}], metadata
    types = {one["name"]: one["datatype"] for one in client.get_model_metadata("echo")["inputs"]}
    assert types == {name: name.upper() for name in NAMES}, types


def check_unknown_model_and_version(client):
    refused(lambda: client.get_model_metadata("nobody"), 404, "nobody")
    refused(lambda: client.get_model_metadata("diabetes", "8"), 404, "there is 7")
    refused(lambda: client.infer("diabetes", inputs_of(features()), model_version="8"), 404, "there is 7")
    refused(lambda: client.get_inference_statistics("diabetes", "8"), 404, "there is 7")


def check_model_configuration(client):
    config = client.get_model_config("diabetes")
    assert config["name"] == "diabetes" and config["max_batch_size"] == 8, config
    assert config["input"] == [{"name": "features", "data_type": "TYPE_FP32", "dims": [10]}], config
    assert config["output"] == [{"name": "progression", "data_type": "TYPE_FP32", "dims": [1]}], config


def check_repository_index(client):
    index = {(one["name"], one["version"], one["state"]) for one in client.get_model_repository_index()}
    assert index == {("echo", "1", "READY"), ("diabetes", "7", "READY"), ("digits", "1", "READY")}, index


def check_binary_tensors_of_every_type(client):
    assert_echo(client.infer("echo", inputs_of(VALUES)), VALUES)


def check_json_tensors_of_every_type(client):
    outputs = [http.InferRequestedOutput(f"{name}_out", binary_data=False) for name in NAMES]
    assert_echo(client.infer("echo", inputs_of(VALUES, binary=False), outputs=outputs), VALUES)


def check_json_and_binary_mixed(client):
    inputs = [one for i, name in enumerate(NAMES) for one in inputs_of({name: VALUES[name]}, binary=i % 2 == 0)]
    outputs = [http.InferRequestedOutput(f"{name}_out", binary_data=i % 3 == 0) for i, name in enumerate(NAMES)]
    assert_echo(client.infer("echo", inputs, outputs=outputs), VALUES)


def check_requested_outputs(client):
    wanted = ["bool_out", "bytes_out", "fp16_out"]
    result = client.infer("echo", inputs_of(VALUES), outputs=[http.InferRequestedOutput(name) for name in wanted])
    assert [one["name"] for one in result.get_response()["outputs"]] == wanted, result.get_response()
    assert_echo(result, {name: VALUES[name] for name in ("bool", "bytes", "fp16")})
    wrong = [http.InferRequestedOutput("nothing")]
    refused(lambda: client.infer("echo", inputs_of(VALUES), outputs=wrong), 400, "outputs[0].name")


def check_request_id_and_parameters(client):
    result = client.infer(
        "diabetes",
        inputs_of(features()),
        model_version="7",
        request_id="grüß-1",
        timeout=5_000_000,
        priority=1,
        parameters={"mine": "x", "number": 2, "flag": True},
    )
    response = result.get_response()
    assert response["id"] == "grüß-1", response
    assert response["model_name"] == "diabetes" and response["model_version"] == "7", response
    assert response["parameters"]["model_digest"].startswith("sha256:"), response


def check_sequences_are_refused(client):
    call = lambda: client.infer("diabetes", inputs_of(features()), sequence_id=5, sequence_start=True)  # noqa: E731
    refused(call, 400, "sequence_id")


def check_shared_memory_is_refused(client):
    one = http.InferInput("features", [1, 10], "FP32")
    one.set_shared_memory("region", 40)
    refused(lambda: client.infer("diabetes", [one]), 400, "send the data in the body")


def check_classification(client):
    pixels = {"image": np.random.default_rng(1).random((4, 1, 8, 8), np.float32)}
    plain = client.infer("digits", inputs_of(pixels)).as_numpy("probabilities")
    for binary in (True, False):
        outputs = [http.InferRequestedOutput("probabilities", binary_data=binary, class_count=3)]
        told = client.infer("digits", inputs_of(pixels), outputs=outputs).as_numpy("probabilities")
        assert told.shape == (4, 3), told.shape
        for row, scores in zip(told, plain):
            texts = [text.decode() if isinstance(text, bytes) else str(text) for text in row]
            indices = [int(text.split(":")[1]) for text in texts]
            assert indices == list(np.argsort(-scores, kind="stable")[:3]), (texts, scores)
            for text, index in zip(texts, indices):
                score, _, label = text.split(":")
                assert np.float32(score) == scores[index] and label == str(index), text


def check_statistics(client):
    before = client.get_inference_statistics("diabetes", "7")["model_stats"][0]
    for _ in range(3):
        client.infer("diabetes", inputs_of(features(2)))
    after = client.get_inference_statistics("diabetes")["model_stats"][0]
    assert after["inference_count"] - before["inference_count"] == 6, (before, after)
    assert after["execution_count"] - before["execution_count"] == 3, (before, after)
    for part in ("success", "queue", "compute_input", "compute_infer"):
        grown = after["inference_stats"][part]["count"] - before["inference_stats"][part]["count"]
        assert grown == 3 and after["inference_stats"][part]["ns"] > 0, part
    assert set(after["inference_stats"]) >= {"fail", "compute_output", "cache_hit", "cache_miss"}, after
    assert {one["batch_size"] for one in after["batch_stats"]} >= {2}, after
    assert after["last_inference"] >= before["last_inference"] > 0, after
    all_of_them = client.get_inference_statistics()["model_stats"]
    assert {one["name"] for one in all_of_them} == {"echo", "diabetes", "digits"}, all_of_them


def check_compression(client):
    expected = client.infer("diabetes", inputs_of(features(1000))).as_numpy("progression")
    for algorithm in ("gzip", "deflate"):
        for binary in (True, False):
            result = client.infer(
                "diabetes",
                inputs_of(features(1000), binary),
                outputs=[http.InferRequestedOutput("progression", binary_data=binary)],
                request_compression_algorithm=algorithm,
                response_compression_algorithm=algorithm,
            )
            np.testing.assert_allclose(result.as_numpy("progression"), expected, rtol=1e-5)


def check_asynchronous_calls(client):
    expected = client.infer("diabetes", inputs_of(features())).as_numpy("progression")
    with http.InferenceServerClient(URL, concurrency=8) as many:
        calls = [many.async_infer("diabetes", inputs_of(features()), request_id=str(i)) for i in range(64)]
        for i, call in enumerate(calls):
            result = call.get_result(timeout=10)
            assert result.get_response()["id"] == str(i)
            np.testing.assert_allclose(result.as_numpy("progression"), expected, rtol=1e-5)


def check_asyncio_client(_client):
    async def run():
        async with aio.InferenceServerClient(URL) as client:
            assert await client.is_server_ready()
            results = await asyncio.gather(*(client.infer("echo", inputs_of(VALUES)) for _ in range(8)))
            for result in results:
                assert_echo(result, VALUES)
            compressed = await client.infer(
                "diabetes",
                inputs_of(features(1000)),
                request_compression_algorithm="gzip",
                response_compression_algorithm="deflate",
            )
            assert compressed.as_numpy("progression").shape == (1000, 1)

    asyncio.run(run())


def check_raw_binary_request(_client):
    row = features(1)["features"]
    request = urllib.request.Request(f"http://{URL}/v2/models/diabetes/infer", row.tobytes(), method="POST")
    request.add_header("Inference-Header-Content-Length", "0")
    with urllib.request.urlopen(request) as response:
        length = int(response.headers["Inference-Header-Content-Length"])
        result = http.InferenceServerClient.parse_response_body(response.read(), header_length=length)
    expected = _client.infer("diabetes", inputs_of({"features": row})).as_numpy("progression")
    np.testing.assert_array_equal(result.as_numpy("progression"), expected)


def check_errors_are_told(client):
    wrong_type = {"features": np.zeros((1, 10), np.float64)}
    refused(lambda: client.infer("diabetes", inputs_of(wrong_type)), 400, "expected FP32, got FP64")
    wrong_shape = {"features": np.zeros((1, 9), np.float32)}
    refused(lambda: client.infer("diabetes", inputs_of(wrong_shape)), 400, "expected the shape [any, 10]")
    not_a_number = {"features": np.full((1, 10), np.nan, np.float32)}
    refused(lambda: client.infer("diabetes", inputs_of(not_a_number, binary=False)), 400, "binary data")
    texts = {**VALUES, "bytes": np.array([["a", "b"], ["c", b"\xff"]], np.object_)}
    refused(lambda: client.infer("echo", inputs_of(texts)), 400, "expected UTF-8")
    texts = {**VALUES, "bytes": np.array([["a", "b"], ["c", "d\0e"]], np.object_)}
    refused(lambda: client.infer("echo", inputs_of(texts)), 400, "without NUL")
    assert np.isnan(client.infer("diabetes", inputs_of(not_a_number)).as_numpy("progression")).all()


def main():
    results = {}
    checks = {name: check for name, check in globals().items() if name.startswith("check_")}
    for name, check in checks.items():
        try:
            with http.InferenceServerClient(URL) as client:
                check(client)
            results[name.removeprefix("check_").replace("_", " ")] = None
        except Exception:
            results[name.removeprefix("check_").replace("_", " ")] = traceback.format_exc(limit=-2)
    print(json.dumps(results))


main()
