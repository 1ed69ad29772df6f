"""A BERT sentence encoder as an ONNX graph: the same forward pass as `bert_encoder`, for onnxruntime.

The graph takes the token ids of one text and their positions, and gives the mean (or first) hidden state, or all states.
Quantised, the matrices of the layers are whole numbers of eight bits, one scale per column, and each input is scaled by its own
largest value: a vector then differs from the exact one (cosine .985), but depends on nothing but its text, too.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from onnx import NodeProto, TensorProto, helper, numpy_helper

from transforms.embedding.bert_encoder import BertLayer, BertModel, Linear, Pooling

OPSET, MICROSOFT_OPSET, IR_VERSION = 20, 1, 10
_MICROSOFT = "com.microsoft"
"""Domain of the operators that only onnxruntime has."""
_LARGEST = 127
_LEAST_BYTES = 1024
"""Bytes from which an array stands beside the graph; shapes and scalars stand in it."""
Array = npt.NDArray[np.generic]


class OnnxModel(NamedTuple):
    """A serialized graph, and the weights that it names and does not hold: each serialisation would copy them, so that loading
    took four times their memory."""

    graph: bytes
    weights: dict[str, Array]


def build_onnx_model(model: BertModel, pooling: Pooling | None, is_quantised: bool) -> OnnxModel:
    """Return the model: inputs `ids` and `positions` (tokens,), output `vector` (dimensions,), not of unit length; without
    pooling the output are the states (tokens, dimensions)."""
    graph = _Graph(model.config.epsilon, is_quantised)
    words = graph.add("Gather", graph.store(model.word_embeddings), "ids")
    hidden = graph.normalise(
        graph.add("Add", words, graph.add("Gather", graph.store(model.position_embeddings), "positions")), model.norm
    )
    width, heads = model.dimensions, model.config.heads
    for layer in model.layers:
        attended = graph.multiply(_attend(graph, hidden, layer, (heads, width // heads)), layer.projection)
        hidden = graph.normalise(graph.add("Add", hidden, attended), layer.projection_norm)
        narrowed = graph.multiply(graph.add("Gelu", graph.multiply(hidden, layer.widening)), layer.narrowing)
        hidden = graph.normalise(graph.add("Add", hidden, narrowed), layer.norm)
    if pooling == "cls":
        vector = graph.add("Gather", hidden, graph.store(np.array(0)), axis=0)
    else:
        vector = graph.add("ReduceMean", hidden, graph.store(np.array([0])), keepdims=0) if pooling else hidden
    graph.nodes.append(helper.make_node("Identity", [vector], ["vector"]))
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["tokens"]) for name in ("ids", "positions")]
    output = helper.make_tensor_value_info("vector", TensorProto.FLOAT, [width] if pooling else ["tokens", width])
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(_MICROSOFT, MICROSOFT_OPSET)]
    made = helper.make_model(
        helper.make_graph(graph.nodes, "encoder", inputs, [output], graph.tensors), opset_imports=opsets, ir_version=IR_VERSION
    )
    return OnnxModel(made.SerializeToString(), graph.weights)


def _attend(graph: _Graph, hidden: str, layer: BertLayer, shape: tuple[int, int]) -> str:
    heads, size = shape
    mixed = graph.add("Reshape", graph.multiply(hidden, layer.attention), graph.store(np.array([-1, 3, heads, size])))
    parts = graph.add("Transpose", mixed, perm=[1, 2, 0, 3])
    query, key, value = (graph.add("Gather", parts, graph.store(np.array(part)), axis=0) for part in range(3))
    scores = graph.add("Softmax", graph.add("MatMul", query, graph.add("Transpose", key, perm=[0, 2, 1])), axis=-1)
    context = graph.add("Transpose", graph.add("MatMul", scores, value), perm=[1, 0, 2])
    return graph.add("Reshape", context, graph.store(np.array([-1, heads * size])))


def _name_weight(name: str, array: Array) -> TensorProto:
    """Return what stands in the graph of an array beside it; who opens the graph gives the array in the place of a file."""
    tensor = TensorProto(
        name=name, data_type=helper.np_dtype_to_tensor_dtype(array.dtype), dims=array.shape, data_location=TensorProto.EXTERNAL
    )
    for key, value in (("location", name), ("offset", "0"), ("length", str(array.nbytes))):
        tensor.external_data.add(key=key, value=value)
    return tensor


class _Graph:
    """The nodes and stored tensors of a graph that grows; every value is named by its number."""

    def __init__(self, epsilon: float, is_quantised: bool) -> None:
        self.epsilon, self.is_quantised = epsilon, is_quantised
        self.nodes: list[NodeProto] = []
        self.tensors: list[TensorProto] = []
        self.weights: dict[str, Array] = {}

    def add(self, operator: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """Add a node to the graph; return the name of its one output."""
        name = f"value{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, [*inputs], [name], domain=domain, **attributes))
        return name

    def store(self, values: npt.NDArray[np.generic]) -> str:
        """Add an array to the graph's constants; return its name."""
        name, array = f"tensor{len(self.tensors)}", np.asarray(values, order="C")
        if array.nbytes < _LEAST_BYTES:
            self.tensors.append(numpy_helper.from_array(array, name))
        else:
            self.tensors.append(_name_weight(name, array))
            self.weights[name] = array
        return name

    def normalise(self, hidden: str, norm: Linear) -> str:
        """Add a layer normalisation of the hidden states; return the name of its output."""
        return self.add("LayerNormalization", hidden, *map(self.store, norm), axis=-1, epsilon=self.epsilon)

    def multiply(self, hidden: str, linear: Linear) -> str:
        """Add `hidden @ matrix + bias`, with weights of eight bits when quantised; return the name of the output."""
        matrix, bias = linear
        if not self.is_quantised:
            return self.add("Add", self.add("MatMul", hidden, self.store(matrix)), self.store(bias))
        scales = (np.abs(matrix).max(axis=0) / _LARGEST).astype(np.float32)
        whole = np.rint(matrix / np.maximum(scales, np.finfo(np.float32).tiny)).astype(np.int8)
        stored = map(self.store, (whole, scales, np.zeros(len(scales), np.int8), bias))
        return self.add("DynamicQuantizeMatMul", hidden, *stored, domain=_MICROSOFT)
