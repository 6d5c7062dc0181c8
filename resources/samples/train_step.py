"""One training step of a small decoder-only transformer, in JAX, for a mesh of data x model devices.

The program behind the sample module transformer_step.hlo: its source lines point into this file. The
module itself is written by make_transformer_step.py, so neither JAX nor a device is needed to have it.
"""

import jax
import jax.numpy as jnp

LEARNING_RATE, DECAY_STEPS = 3e-4, 10000.0
BETA1, BETA2, ADAM_EPSILON, WEIGHT_DECAY = 0.9, 0.95, 1e-8, 0.1
CLIP_NORM, NORM_EPSILON, MASKED_SCORE = 1.0, 1e-5, -1e9


@jax.jit
def layer_norm(x, scale, bias):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    centered = x - mean
    variance = jnp.mean(jnp.square(centered), axis=-1, keepdims=True)
    normalized = centered * jax.lax.rsqrt(variance + NORM_EPSILON)
    return normalized * scale + bias


@jax.jit
def gelu(x):
    inner = jnp.sqrt(2 / jnp.pi) * (x + 0.044715 * x**3)
    return 0.5 * x * (1 + jnp.tanh(inner))


def softmax(scores):
    shifted = scores - jax.lax.stop_gradient(jnp.max(scores, axis=-1, keepdims=True))
    unnormalized = jnp.exp(shifted)
    return unnormalized / jnp.sum(unnormalized, axis=-1, keepdims=True)


def attention(x, layer):
    query = jnp.einsum("bsd,dhk->bshk", x, layer["wq"])
    key = jnp.einsum("btd,dhk->bthk", x, layer["wk"])
    value = jnp.einsum("btd,dhk->bthk", x, layer["wv"])
    scores = jnp.einsum("bshk,bthk->bhst", query, key)
    scores = scores * query.shape[-1] ** -0.5
    causal = jnp.arange(x.shape[1])[:, None] >= jnp.arange(x.shape[1])[None, :]
    scores = jnp.where(causal, scores, MASKED_SCORE)
    weights = softmax(scores)
    context = jnp.einsum("bhst,bthk->bshk", weights, value)
    return jnp.einsum("bshk,hkd->bsd", context, layer["wo"])


def mlp(x, layer):
    hidden = jnp.einsum("bsd,df->bsf", x, layer["w_in"]) + layer["b_in"]
    activated = gelu(hidden)
    return jnp.einsum("bsf,fd->bsd", activated, layer["w_out"]) + layer["b_out"]


@jax.checkpoint
def transformer_layer(x, layer):
    x = x + attention(layer_norm(x, layer["attn_scale"], layer["attn_bias"]), layer)
    x = x + mlp(layer_norm(x, layer["mlp_scale"], layer["mlp_bias"]), layer)
    return x, None


def transformer(params, tokens):
    x = params["embed"][tokens] + params["position"]
    x, _ = jax.lax.scan(transformer_layer, x, params["layers"])
    x = layer_norm(x, params["final_scale"], params["final_bias"])
    return jnp.einsum("bsd,dv->bsv", x, params["unembed"])


def cross_entropy(logits, labels):
    shifted = logits - jax.lax.stop_gradient(jnp.max(logits, axis=-1, keepdims=True))
    log_total = jnp.log(jnp.sum(jnp.exp(shifted), axis=-1))
    one_hot = labels[..., None] == jnp.arange(logits.shape[-1])
    label_logit = jnp.sum(jnp.where(one_hot, shifted, 0.0), axis=-1)
    return jnp.mean(log_total - label_logit)


def loss_fn(params, batch):
    logits = transformer(params, batch["tokens"])
    return cross_entropy(logits, batch["labels"])


def global_norm(grads):
    return jnp.sqrt(sum(jnp.sum(jnp.square(g)) for g in jax.tree.leaves(grads)))


def adam(state, grads):
    step = state["step"] + 1
    progress = jnp.minimum(step.astype(jnp.float32) / DECAY_STEPS, 1.0)
    rate = LEARNING_RATE * 0.5 * (1 + jnp.cos(jnp.pi * progress))
    correction1 = 1 - BETA1 ** step.astype(jnp.float32)
    correction2 = 1 - BETA2 ** step.astype(jnp.float32)

    def update(param, m, v, grad):
        m = BETA1 * m + (1 - BETA1) * grad
        v = BETA2 * v + (1 - BETA2) * jnp.square(grad)
        direction = (m / correction1) / (jnp.sqrt(v / correction2) + ADAM_EPSILON)
        decay = WEIGHT_DECAY * param if param.ndim > 1 else 0.0
        return param - rate * (direction + decay), m, v

    updated = jax.tree.map(update, state["params"], state["m"], state["v"], grads)
    params, m, v = jax.tree.transpose(jax.tree.structure(grads), jax.tree.structure((0, 0, 0)), updated)
    return {"m": m, "params": params, "step": step, "v": v}


def train_step(state, batch):
    loss, grads = jax.value_and_grad(loss_fn)(state["params"], batch)
    norm = global_norm(grads)
    scale = jnp.minimum(CLIP_NORM / (norm + 1e-6), 1.0)
    grads = jax.tree.map(lambda grad: grad * scale, grads)
    return adam(state, grads), {"grad_norm": norm, "loss": loss}
