import jax
import jax.numpy as jnp

@jax.jit
def relu(x):
    return jnp.maximum(x, 0)


def loss(weights, batch):
    product = batch @ weights
    hidden = relu(product)
    jnp.exp(product)  # Not used: dead code elimination has something to remove.
    return jnp.mean(jnp.square(hidden))


def step(params, batch):
    value, grad = jax.value_and_grad(loss)(params["weights"], batch)
    return {"weights": params["weights"] - 0.1 * grad}, value
