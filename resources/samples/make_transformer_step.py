#!/usr/bin/env python3
"""Writes a sample module: one training step of a small decoder transformer, as XLA would print it.

With --devices 4 the step is partitioned for 2 data x 2 tensor parallel devices: each works on half of the
batch, half of the heads, half of the hidden units and half of the vocabulary; the embedding table lies
split over the data parallel devices and is gathered for use. With --devices 1 the same step has no
collectives. train_step.py is the program the module stands for; its lines are the source locations.

The layers run in a loop over stacked weights, and the backward loop computes each layer again from its
input. Gradients are written by hand here.
"""

import argparse
import math
import os
import sys

sys.dont_write_bytecode = True
from hlo_builder import Function, Module, Shape, sample_folder  # noqa: E402

LEARNING_RATE, DECAY_STEPS = 3e-4, 10000.0
BETA1, BETA2, ADAM_EPSILON, WEIGHT_DECAY = 0.9, 0.95, 1e-8, 0.1
CLIP_NORM, NORM_EPSILON, MASKED_SCORE = 1.0, 1e-5, -1e9

# One layer's weights, in the order of the loops' state: name -> (dimensions, dimension split over tensor).
LAYER_WEIGHTS = {
    "attn_bias": ("D", None), "attn_scale": ("D", None), "b_in": ("F", 0), "b_out": ("D", None),
    "mlp_bias": ("D", None), "mlp_scale": ("D", None), "w_in": ("DF", 1), "w_out": ("FD", 0),
    "wk": ("DHK", 1), "wo": ("HKD", 0), "wq": ("DHK", 1), "wv": ("DHK", 1),
}


class Weight:
    """One trained array: its path in the state, its dimensions on all devices, and how it is split."""

    def __init__(self, path, dims, axis=None, split=None):
        self.path, self.dims, self.axis, self.split = path, dims, axis, split

    def local_dims(self, parts):
        return [n // parts if d == self.split else n for d, n in enumerate(self.dims)]


class TrainStep:
    """Builds the module. Dimensions: B batch on this device, S sequence, D model, H heads on this device,
    K size of a head, F hidden units on this device, V vocabulary, L layers."""

    def __init__(self, options):
        self.o = options
        self.data, self.tensor = (2, 2) if options.devices == 4 else (1, 1)
        self.kind = options.compute
        self.batch, self.seq, self.width = options.batch // self.data, options.sequence, options.model
        self.vocab = options.vocab // self.tensor
        source = os.path.join(sample_folder(), "train_step.py")
        self.m = Module("jit_train_step", source, options.devices)
        self.norm_function = self.where_function = self.gelu_function = None

    # Layout of the state and of the devices.

    def weights(self):
        o = self.o
        sizes = {"D": o.model, "F": o.hidden, "H": o.heads, "K": o.model // o.heads}
        weights = [Weight(["embed"], [o.vocab, o.model], "data", 1), Weight(["final_bias"], [o.model]),
                   Weight(["final_scale"], [o.model])]
        for name, (dims, split) in LAYER_WEIGHTS.items():
            axis, split = (None, None) if split is None else ("tensor", split + 1)
            weights.append(Weight(["layers", name], [o.layers] + [sizes[d] for d in dims], axis, split))
        weights.append(Weight(["position"], [o.sequence, o.model]))
        weights.append(Weight(["unembed"], [o.model, o.vocab], "tensor", 1))
        return weights

    def parts(self, axis):
        return {"data": self.data, "tensor": self.tensor, None: 1}[axis]

    def groups(self, axis):
        """The devices that differ only in their place along `axis`; device = data place * tensor + tensor place."""
        data, tensor = self.data, self.tensor
        if axis == "tensor":
            return f"[{data},{tensor}]<=[{data * tensor}]"
        return f"[{tensor},{data}]<=[{data},{tensor}]T(1,0)"

    def sharding(self, rank, axis, split):
        if self.o.devices == 1:
            return None
        if axis is None:
            return "{replicated}"
        parts = self.parts(axis)
        tiles = ",".join(str(parts if d == split else 1) for d in range(rank))
        if axis == "tensor":
            return f"{{devices=[{tiles},{self.data}]<=[{self.data},{self.tensor}]T(1,0) last_tile_dim_replicate}}"
        return f"{{devices=[{tiles},{self.tensor}]<=[{self.data * self.tensor}] last_tile_dim_replicate}}"

    def all_reduce(self, f, x, axis, reducer="add"):
        if self.parts(axis) == 1:
            return x
        attributes = ["use_global_device_ids=true"]
        return f.collective("all-reduce", x, self.groups(axis), attributes=attributes, reducer=reducer)

    def cast(self, f, x):
        return f.convert(x, self.kind)

    def activations(self, *more):
        return Shape("f32", [self.batch, self.seq, *more])

    # Functions that are called.

    def layer_norm_computation(self):
        """(x, scale, bias) -> (y, normalized, 1 / standard deviation)."""
        if self.norm_function:
            return self.norm_function
        with self.m.separate("layer_norm"):
            f = Function(self.m, "layer_norm")
            x = f.parameter("x", self.activations(self.width))
            scale, bias = (f.parameter(name, Shape("f32", [self.width])) for name in ("scale", "bias"))
            self.m.at("mean = jnp.mean(x")
            mean = f.reduce(x, [2]) / self.width
            self.m.at("centered = x - mean")
            centered = x - f.broadcast(mean, x.dims, [0, 1])
            self.m.at("variance = jnp.mean(")
            variance = f.reduce(centered * centered, [2]) / self.width
            self.m.at("normalized = centered *")
            inverse = f.unary("rsqrt", variance + NORM_EPSILON)
            normalized = centered * f.broadcast(inverse, x.dims, [0, 1])
            self.m.at("return normalized * scale + bias")
            y = normalized * f.broadcast(scale, x.dims, [2]) + f.broadcast(bias, x.dims, [2])
            f.root = f.tuple([y, normalized, inverse])
        self.norm_function = f
        return f

    def where_computation(self, scores):
        """(causal, scores) -> scores, masked where not causal."""
        if self.where_function:
            return self.where_function
        with self.m.separate("_where"):
            self.m.at("jnp.where(causal")
            f = Function(self.m, "_where")
            causal = f.parameter("condition", Shape("pred", scores.dims[2:]))
            x = f.parameter("x", scores.shape)
            masked = f.broadcast(f.constant("f32", MASKED_SCORE), x.dims, [])
            f.root = f.select(f.broadcast(causal, x.dims, [2, 3]), x, masked)
        self.where_function = f
        return f

    def gelu_computation(self, x):
        if self.gelu_function:
            return self.gelu_function
        with self.m.separate("gelu"):
            f = Function(self.m, "gelu")
            x = f.parameter("x", x.shape)
            tanh = self.gelu_tanh(f, x)
            f.root = 0.5 * x * (1.0 + tanh)
        self.gelu_function = f
        return f

    def gelu_tanh(self, f, x):
        self.m.at("inner = jnp.sqrt(2 / jnp.pi)")
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))
        self.m.at("return 0.5 * x * (1 + jnp.tanh(inner))")
        return f.unary("tanh", inner)

    # The model, forward. Each returns its result and what the backward step reads again.

    def layer_norm(self, f, x, scale, bias, site):
        self.m.at(site)
        parts = f.call(self.layer_norm_computation(), [x, scale, bias])
        return parts[0], (parts[1], parts[2])

    def softmax(self, f, scores):
        with self.m.called_from("weights = softmax(scores)"), self.m.scope("softmax"):
            self.m.at("shifted = scores -")
            largest = f.reduce(scores, [3], "maximum")
            shifted = scores - f.broadcast(largest, scores.dims, [0, 1, 2])
            self.m.at("unnormalized = jnp.exp(shifted)")
            powers = f.unary("exponential", shifted)
            self.m.at("return unnormalized /")
            return powers / f.broadcast(f.reduce(powers, [3]), scores.dims, [0, 1, 2])

    def attention(self, f, x, p):
        x = self.cast(f, x)
        heads = {}
        for name, snippet in (("wq", "query = "), ("wk", "key = "), ("wv", "value = ")):
            self.m.at(snippet + "jnp.einsum")
            heads[name] = self.cast(f, f.dot(x, self.cast(f, p[name]), ((2,), (0,))))
        self.m.at('scores = jnp.einsum("bshk,bthk->bhst"')
        scores = f.dot(heads["wq"], heads["wk"], ((3,), (3,)), ((0, 2), (0, 2)))
        self.m.at("scores = scores *")
        scores = scores * (self.o.model // self.o.heads) ** -0.5
        self.m.at("causal = jnp.arange")
        square = [self.seq, self.seq]
        causal = f.compare(f.iota("s32", square, 0), f.iota("s32", square, 1), "GE")
        self.m.at("scores = jnp.where(causal")
        scores = f.call(self.where_computation(scores), [causal, scores])
        weights = self.softmax(f, scores)
        self.m.at('context = jnp.einsum("bhst,bthk->bshk"')
        context = f.dot(self.cast(f, weights), heads["wv"], ((3,), (1,)), ((0, 1), (0, 2)))
        context = self.cast(f, f.transpose(context, [0, 2, 1, 3]))
        self.m.at('return jnp.einsum("bshk,hkd->bsd"')
        out = f.dot(context, self.cast(f, p["wo"]), ((2, 3), (0, 1)))
        return self.all_reduce(f, out, "tensor"), (x, heads, causal, weights, context)

    def mlp_hidden(self, f, x, p):
        x = self.cast(f, x)
        self.m.at('hidden = jnp.einsum("bsd,df->bsf"')
        hidden = f.dot(x, self.cast(f, p["w_in"]), ((2,), (0,)))
        hidden = hidden + f.broadcast(p["b_in"], hidden.dims, [2])
        self.m.at("activated = gelu(hidden)")
        activated = self.cast(f, f.call(self.gelu_computation(hidden), [hidden]))
        return activated, (x, hidden)

    def mlp_out(self, f, activated, p):
        self.m.at('return jnp.einsum("bsf,fd->bsd"')
        out = f.dot(activated, self.cast(f, p["w_out"]), ((2,), (0,)))
        out = self.all_reduce(f, out, "tensor")
        return out + f.broadcast(p["b_out"], out.dims, [2])

    def half_layer(self, f, x, p):
        """The layer up to the activated hidden units, with all that its gradients need."""
        with self.m.scope("attention"):
            y, attention_norm = self.layer_norm(f, x, p["attn_scale"], p["attn_bias"],
                                                'layer_norm(x, layer["attn_scale"]')
            with self.m.called_from("attention(layer_norm("):
                attended, attention = self.attention(f, y, p)
            self.m.at("x = x + attention(")
            x = x + attended
        with self.m.scope("mlp"):
            y, mlp_norm = self.layer_norm(f, x, p["mlp_scale"], p["mlp_bias"], 'layer_norm(x, layer["mlp_scale"]')
            with self.m.called_from("mlp(layer_norm("):
                activated, mlp = self.mlp_hidden(f, y, p)
        return x, activated, (attention_norm, attention, mlp_norm, mlp)

    def layer(self, f, x, p):
        x, activated, _ = self.half_layer(f, x, p)
        with self.m.scope("mlp"):
            with self.m.called_from("mlp(layer_norm("):
                out = self.mlp_out(f, activated, p)
            self.m.at("x = x + mlp(")
            return x + out

    # The model, backward.

    def layer_norm_grad(self, f, dy, scale, saved):
        """Gradients of (x, scale, bias)."""
        normalized, inverse = saved
        self.m.at("return normalized * scale + bias")
        dbias = f.reduce(dy, [0, 1])
        dscale = f.reduce(dy * normalized, [0, 1])
        dnormalized = dy * f.broadcast(scale, dy.dims, [2])
        self.m.at("normalized = centered *")
        along = f.reduce(dnormalized * normalized, [2]) / self.width
        self.m.at("mean = jnp.mean(x")
        mean = f.reduce(dnormalized, [2]) / self.width
        self.m.at("centered = x - mean")
        rest = dnormalized - f.broadcast(mean, dy.dims, [0, 1]) - normalized * f.broadcast(along, dy.dims, [0, 1])
        return rest * f.broadcast(inverse, dy.dims, [0, 1]), dscale, dbias

    def softmax_grad(self, f, dweights, weights):
        with self.m.called_from("weights = softmax(scores)"), self.m.scope("softmax"):
            self.m.at("return unnormalized /")
            along = f.reduce(dweights * weights, [3])
            return weights * (dweights - f.broadcast(along, weights.dims, [0, 1, 2]))

    def attention_grad(self, f, dout, p, saved, grads):
        """Gradient of the input; puts the gradients of the weights into `grads`."""
        x, heads, causal, weights, context = saved
        batch_heads = ((0, 1), (0, 2))
        dout = self.cast(f, dout)
        self.m.at('return jnp.einsum("bshk,hkd->bsd"')
        grads["wo"] = f.dot(context, dout, ((0, 1), (0, 1)))
        dcontext = self.cast(f, f.dot(dout, self.cast(f, p["wo"]), ((2,), (2,))))
        self.m.at('context = jnp.einsum("bhst,bthk->bshk"')
        dweights = f.dot(dcontext, heads["wv"], ((3,), (3,)), ((0, 2), (0, 2)))
        dheads = {"wv": f.dot(self.cast(f, weights), dcontext, ((2,), (1,)), batch_heads)}
        dscores = self.softmax_grad(f, dweights, weights)
        self.m.at("scores = jnp.where(causal")
        zeros = f.broadcast(f.constant("f32", 0), dscores.dims, [])
        dscores = f.select(f.broadcast(causal, dscores.dims, [2, 3]), dscores, zeros)
        self.m.at("scores = scores *")
        dscores = self.cast(f, dscores * (self.o.model // self.o.heads) ** -0.5)
        self.m.at('scores = jnp.einsum("bshk,bthk->bhst"')
        dheads["wq"] = f.dot(dscores, heads["wk"], ((3,), (1,)), batch_heads)
        dheads["wk"] = f.dot(dscores, heads["wq"], ((2,), (1,)), batch_heads)
        dx = None
        for name, snippet in (("wv", "value = "), ("wk", "key = "), ("wq", "query = ")):
            self.m.at(snippet + "jnp.einsum")
            dhead = self.cast(f, f.transpose(dheads[name], [0, 2, 1, 3]))
            grads[name] = f.dot(x, dhead, ((0, 1), (0, 1)))
            part = f.dot(dhead, self.cast(f, p[name]), ((2, 3), (1, 2)))
            dx = part if dx is None else dx + part
        return self.all_reduce(f, dx, "tensor")

    def gelu_grad(self, f, dactivated, hidden):
        with self.m.called_from("activated = gelu(hidden)"), self.m.scope("jit(gelu)"):
            tanh = self.gelu_tanh(f, hidden)
            half = 0.5 * (1.0 + tanh)
            self.m.at("inner = jnp.sqrt(2 / jnp.pi)")
            dinner = math.sqrt(2 / math.pi) * (1.0 + 3 * 0.044715 * (hidden * hidden))
            return dactivated * (half + 0.5 * hidden * (1.0 - tanh * tanh) * dinner)

    def mlp_grad(self, f, dout, p, activated, saved, grads):
        x, hidden = saved
        self.m.at('return jnp.einsum("bsf,fd->bsd"')
        grads["b_out"] = f.reduce(dout, [0, 1])
        dout = self.cast(f, dout)
        grads["w_out"] = f.dot(activated, dout, ((0, 1), (0, 1)))
        dactivated = f.dot(dout, self.cast(f, p["w_out"]), ((2,), (1,)))
        dhidden = self.gelu_grad(f, dactivated, hidden)
        self.m.at('hidden = jnp.einsum("bsd,df->bsf"')
        grads["b_in"] = f.reduce(dhidden, [0, 1])
        dhidden = self.cast(f, dhidden)
        grads["w_in"] = f.dot(x, dhidden, ((0, 1), (0, 1)))
        dx = f.dot(dhidden, self.cast(f, p["w_in"]), ((2,), (1,)))
        return self.all_reduce(f, dx, "tensor")

    def layer_grad(self, f, dx, x, p):
        """Gradients of the layer's input and of its weights, from the input and the output's gradient."""
        with self.m.scope("checkpoint", "rematted_computation", "layer"):
            _, activated, (attention_norm, attention, mlp_norm, mlp) = self.half_layer(f, x, p)
        grads = {}
        with self.m.scope("layer", "mlp"):
            with self.m.called_from("mlp(layer_norm("):
                dy = self.mlp_grad(f, dx, p, activated, mlp, grads)
            with self.m.called_from('layer_norm(x, layer["mlp_scale"]'), self.m.scope("layer_norm"):
                part, grads["mlp_scale"], grads["mlp_bias"] = self.layer_norm_grad(f, dy, p["mlp_scale"], mlp_norm)
            self.m.at("x = x + mlp(")
            dx = dx + part
        with self.m.scope("layer", "attention"):
            with self.m.called_from("attention(layer_norm("):
                dy = self.attention_grad(f, dx, p, attention, grads)
            with self.m.called_from('layer_norm(x, layer["attn_scale"]'), self.m.scope("layer_norm"):
                part, grads["attn_scale"], grads["attn_bias"] = self.layer_norm_grad(
                    f, dy, p["attn_scale"], attention_norm)
            self.m.at("x = x + attention(")
            return dx + part, grads

    # The loops over layers.

    def loop_parts(self, f, state):
        """The scalar counter and the other parts of a loop's state."""
        return [state[i] for i in range(len(state.shape.parts))]

    def condition(self, shape):
        with self.m.scope("cond"):
            f = Function(self.m, "region")
            f.root = f.compare(f.parameter("arg_tuple", shape)[0], self.o.layers, "LT")
        return f

    def run_loop(self, f, initial, make_body):
        """A loop over `initial` (a list, the counter first); make_body(function, parts) gives the next parts."""
        state = f.tuple(initial)
        with self.m.scope("layers", "while"):
            condition = self.condition(state.shape)
            with self.m.scope("body"):
                body = Function(self.m, "region")
                parts = self.loop_parts(body, body.parameter("arg_tuple", state.shape))
                with self.m.called_from("jax.lax.scan(transformer_layer"):
                    following = make_body(body, parts)
                self.m.at("jax.lax.scan(transformer_layer")
                body.root = body.tuple([parts[0] + 1, *following])
        with self.m.scope("layers"):
            result = f.loop(condition, body, state, self.o.layers)
        return [result[i] for i in range(1, len(initial))]

    def layer_weights(self, f, stacks, index):
        self.m.at_call()
        return {name: f.slice_of(stack, index) for name, stack in zip(LAYER_WEIGHTS, stacks)}

    def forward_loop(self, f, x, stacks):
        """The last layer's output and the stacked inputs of all layers."""
        saved = f.broadcast(f.constant("f32", 0), [self.o.layers, *x.dims], [])

        def body(b, parts):
            index, x, saved, *stacks = parts
            p = self.layer_weights(b, stacks, index)
            saved = b.put(saved, x, index)
            with self.m.scope("layer"):
                x = self.layer(b, x, p)
            return [x, saved, *stacks]

        result = self.run_loop(f, [f.constant("s32", 0), x, saved, *stacks], body)
        return result[0], result[1]

    def backward_loop(self, f, dx, saved, stacks):
        """Gradients of the first layer's input and of the stacked weights."""
        empty = [f.broadcast(f.constant("f32", 0), stack.dims, []) for stack in stacks]

        def body(b, parts):
            counter, dx, saved, *stacks = parts
            stacks, totals = stacks[: len(LAYER_WEIGHTS)], stacks[len(LAYER_WEIGHTS) :]
            self.m.at_call()
            index = (self.o.layers - 1) - counter
            p = self.layer_weights(b, stacks, index)
            dx, grads = self.layer_grad(b, dx, b.slice_of(saved, index), p)
            self.m.at_call()
            totals = [b.put(total, grads[name], index) for name, total in zip(LAYER_WEIGHTS, totals)]
            return [dx, saved, *stacks, *totals]

        result = self.run_loop(f, [f.constant("s32", 0), dx, saved, *stacks, *empty], body)
        return result[0], result[2 + len(stacks) :]

    # The whole loss and its gradient.

    def vocabulary_positions(self, f, dims):
        """The vocabulary index of each place along the last dimension, on this device."""
        positions = f.iota("s32", dims, 2)
        if self.tensor == 1:
            return positions
        place = f.binary("remainder", f.convert(f.partition_id(), "s32"), self.tensor)
        return positions + f.like(place * self.vocab, positions)

    def cross_entropy(self, f, logits, labels):
        """The loss, averaged over all devices, and the gradient of the logits."""
        tokens = self.o.batch * self.seq
        self.m.at("shifted = logits -")
        largest = self.all_reduce(f, f.reduce(logits, [2], "maximum"), "tensor", "maximum")
        shifted = logits - f.broadcast(largest, logits.dims, [0, 1])
        self.m.at("log_total = jnp.log(")
        powers = f.unary("exponential", shifted)
        total = self.all_reduce(f, f.reduce(powers, [2]), "tensor")
        log_total = f.unary("log", total)
        self.m.at("one_hot = labels[")
        one_hot = f.compare(f.broadcast(labels, logits.dims, [0, 1]), self.vocabulary_positions(f, logits.dims), "EQ")
        self.m.at("label_logit = jnp.sum(")
        chosen = f.select(one_hot, shifted, f.like(0, shifted))
        label_logit = self.all_reduce(f, f.reduce(chosen, [2]), "tensor")
        self.m.at("return jnp.mean(log_total - label_logit)")
        loss = self.all_reduce(f, f.reduce(log_total - label_logit, [0, 1]), "data") / tokens

        self.m.scopes = self.m.scopes[:1] + ["transpose(jvp(cross_entropy))"]
        self.m.at("log_total = jnp.log(")
        dlogits = powers / f.broadcast(total, logits.dims, [0, 1]) * (1 / tokens)
        self.m.at("label_logit = jnp.sum(")
        share = f.select(one_hot, f.like(1 / tokens, logits), f.like(0, logits))
        return loss, dlogits - share

    def token_indices(self, f, tokens):
        """Token ids [b, s, 1]; negative ones count from the end, as in Python."""
        negative = f.compare(tokens, 0, "LT")
        tokens = f.select(negative, tokens + self.o.vocab, tokens)
        return f.broadcast(tokens, [*tokens.dims, 1], [0, 1])

    def gathered_embedding(self, f, embed):
        if self.data == 1:
            return embed
        return f.collective("all-gather", embed, self.groups("data"), [self.o.vocab, self.width],
                            ["dimensions={1}", "use_global_device_ids=true"])

    def reduced_grad(self, f, weight, grad):
        """The gradient summed over the batches of all devices, split as the weight is."""
        if weight.axis != "data" or self.data == 1:
            return self.all_reduce(f, grad, "data")
        return f.collective("reduce-scatter", grad, self.groups("data"), weight.local_dims(self.data),
                            ["use_global_device_ids=true", f"dimensions={{{weight.split}}}"], "add")

    def loss_and_grads(self, f, params, tokens, labels):
        """The loss and the gradient of each weight on this device's part of the batch."""
        stacks = [params["layers", name] for name in LAYER_WEIGHTS]
        grads = {}
        with self.m.called_from("logits = transformer("):
            with self.m.scope("jvp(transformer)"):
                with self.m.scope("embed"):
                    self.m.at('x = params["embed"][tokens]')
                    indices = self.token_indices(f, tokens)
                    table = self.gathered_embedding(f, params["embed",])
                    x = f.rows(table, indices)
                    x = x + f.broadcast(params["position",], x.dims, [1, 2])
                self.m.at("jax.lax.scan(transformer_layer")
                x, saved = self.forward_loop(f, x, stacks)
                with self.m.scope("head"):
                    x, norm = self.layer_norm(f, x, params["final_scale",], params["final_bias",],
                                              'layer_norm(x, params["final_scale"]')
                    self.m.at('return jnp.einsum("bsd,dv->bsv"')
                    x, unembed = self.cast(f, x), self.cast(f, params["unembed",])
                    logits = f.dot(x, unembed, ((2,), (0,)))
        with self.m.called_from("return cross_entropy(logits"), self.m.scope("jvp(cross_entropy)"):
            loss, dlogits = self.cross_entropy(f, logits, labels)
        with self.m.called_from("logits = transformer("):
            with self.m.scope("transpose(jvp(transformer))"):
                with self.m.scope("head"):
                    self.m.at('return jnp.einsum("bsd,dv->bsv"')
                    dlogits = self.cast(f, dlogits)
                    grads["unembed",] = f.dot(x, dlogits, ((0, 1), (0, 1)))
                    dx = self.all_reduce(f, f.dot(dlogits, unembed, ((2,), (1,))), "tensor")
                    with self.m.called_from('layer_norm(x, params["final_scale"]'), self.m.scope("layer_norm"):
                        dx, grads["final_scale",], grads["final_bias",] = self.layer_norm_grad(
                            f, dx, params["final_scale",], norm)
                self.m.at("jax.lax.scan(transformer_layer")
                dx, totals = self.backward_loop(f, dx, saved, stacks)
                grads.update({("layers", name): total for name, total in zip(LAYER_WEIGHTS, totals)})
                with self.m.scope("embed"):
                    self.m.at('x = params["embed"][tokens]')
                    grads["position",] = f.reduce(dx, [0])
                    grads["embed",] = f.add_rows(f.like(0, table), indices, dx)
        return loss, grads

    # The optimiser.

    def global_norm(self, f, grads, weights):
        self.m.at("return jnp.sqrt(sum(jnp.sum(")
        total = None
        for axis in (None, "data", "tensor"):
            part = None
            for weight in weights:
                if weight.axis == axis:
                    grad = grads[tuple(weight.path)]
                    square = f.reduce(grad * grad, range(len(grad.dims)))
                    part = square if part is None else part + square
            part = self.all_reduce(f, part, axis)
            total = part if total is None else total + part
        return f.unary("sqrt", total)

    def adam(self, f, step, state, grads, weights):
        """The next (step, m, params, v); `state` has a dict for each of m, params, v."""
        self.m.at('step = state["step"] + 1')
        step = step + 1
        count = f.convert(step, "f32")
        self.m.at("progress = jnp.minimum(")
        progress = f.binary("minimum", count / DECAY_STEPS, 1.0)
        self.m.at("rate = LEARNING_RATE *")
        rate = (LEARNING_RATE * 0.5) * (1.0 + f.unary("cosine", math.pi * progress))
        corrections = []
        for beta, snippet in ((BETA1, "correction1 = 1 -"), (BETA2, "correction2 = 1 -")):
            self.m.at(snippet)
            corrections.append(1.0 - f.binary("power", f.constant("f32", beta), count))
        after = {"m": {}, "params": {}, "v": {}}
        with self.m.called_from("updated = jax.tree.map(update"):
            for weight in weights:
                path = tuple(weight.path)
                with self.m.scope(*path):
                    param, m, v, grad = state["params"][path], state["m"][path], state["v"][path], grads[path]
                    self.m.at("m = BETA1 * m +")
                    m = BETA1 * m + (1 - BETA1) * grad
                    self.m.at("v = BETA2 * v +")
                    v = BETA2 * v + (1 - BETA2) * (grad * grad)
                    self.m.at("direction = (m / correction1)")
                    direction = (m / corrections[0]) / (f.unary("sqrt", v / corrections[1]) + ADAM_EPSILON)
                    if len(weight.dims) > 1:
                        self.m.at("decay = WEIGHT_DECAY * param")
                        direction = direction + WEIGHT_DECAY * param
                    self.m.at("return param - rate *")
                    after["params"][path] = param - f.like(rate, direction) * direction
                    after["m"][path], after["v"][path] = m, v
        return step, after

    # The entry.

    def state_parameters(self, f, group, weights):
        found = {}
        for weight in weights:
            label = f"state['{group}']" + "".join(f"['{part}']" for part in weight.path)
            shape = Shape("f32", weight.local_dims(self.parts(weight.axis)))
            sharding = self.sharding(len(shape.dims), weight.axis, weight.split)
            found[tuple(weight.path)] = f.parameter(label, shape, sharding)
        return found

    def build(self):
        f, weights = Function(self.m, "main"), self.weights()
        self.m.entry = f
        state = {"m": self.state_parameters(f, "m", weights), "params": self.state_parameters(f, "params", weights)}
        step = f.parameter("state['step']", Shape("s32"), self.sharding(0, None, None))
        state["v"] = self.state_parameters(f, "v", weights)
        labels, tokens = (
            f.parameter(f"batch['{name}']", Shape("s32", [self.batch, self.seq]), self.sharding(2, "data", 0))
            for name in ("labels", "tokens"))

        with self.m.scope("jit(train_step)"):
            with self.m.called_from("jax.value_and_grad(loss_fn)"):
                loss, grads = self.loss_and_grads(f, state["params"], tokens, labels)
                with self.m.scope("transpose(jvp(transformer))", "reduce_gradients"):
                    self.m.at_call()
                    for weight in weights:
                        grads[tuple(weight.path)] = self.reduced_grad(f, weight, grads[tuple(weight.path)])
            with self.m.called_from("norm = global_norm(grads)"), self.m.scope("global_norm"):
                norm = self.global_norm(f, grads, weights)
            with self.m.scope("clip"):
                self.m.at("scale = jnp.minimum(CLIP_NORM")
                scale = f.binary("minimum", CLIP_NORM / (norm + 1e-6), 1.0)
                self.m.at("grads = jax.tree.map(")
                grads = {path: grad * scale for path, grad in grads.items()}
            with self.m.called_from("return adam(state, grads)"), self.m.scope("adam"):
                step, after = self.adam(f, step, state, grads, weights)

        paths = [tuple(weight.path) for weight in weights]
        outputs = [after["m"][p] for p in paths] + [after["params"][p] for p in paths] + [step]
        outputs += [after["v"][p] for p in paths]
        self.m.alias_count = len(outputs)
        f.root = f.tuple(outputs + [norm, loss])
        return self.m


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--devices", type=int, choices=[1, 4], default=4)
    for name, value in (("layers", 8), ("batch", 16), ("sequence", 512), ("model", 512), ("heads", 8),
                        ("hidden", 2048), ("vocab", 32000)):
        parser.add_argument("--" + name, type=int, default=value, help=f"on all devices together; default {value}")
    parser.add_argument("--compute", choices=["bf16", "f32"], default="bf16",
                        help="element type of the matrix products' operands")
    parser.add_argument("-o", "--output", default=os.path.join(sample_folder(), "transformer_step.hlo"))
    options = parser.parse_args()
    if options.model % options.heads or (options.devices == 4 and any(
            n % 2 for n in (options.batch, options.model, options.heads, options.hidden, options.vocab))):
        parser.error("sizes must divide evenly over heads and devices")
    with open(options.output, "w", encoding="utf-8") as file:
        file.write(TrainStep(options).build().text())


if __name__ == "__main__":
    main()
