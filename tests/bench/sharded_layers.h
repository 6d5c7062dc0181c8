// Layers of two products, a reduction and elementwise work, with shardings over a mesh of two axes: ten
// instructions a layer.
#pragma once

#include <fmt/format.h>

#include <string>

namespace hilo {

// Rows lie along the first axis of the mesh, features of the products along the second.
inline std::string shardedLayers(int64_t count, int64_t rows, int64_t columns) {
  const int64_t devices = rows * columns;
  std::string text = fmt::format(
      "HloModule layers, num_partitions={}\n"
      "add {{\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT z = f32[] add(x, y)\n}}\nENTRY e {{\n"
      " h0 = f32[65536,4096] parameter(0), sharding={{devices=[{},1,{}]<=[{}] last_tile_dim_replicate}}\n"
      " w = f32[4096,8192] parameter(1), sharding={{devices=[1,{},{}]<=[{},{}]T(1,0) "
      "last_tile_dim_replicate}}\n"
      " v = f32[8192,4096] parameter(2), sharding={{devices=[{},1,{}]<=[{},{}]T(1,0) "
      "last_tile_dim_replicate}}\n zero = f32[] constant(0)\n",
      devices, rows, columns, devices, columns, rows, rows, columns, columns, rows, rows, columns);
  const char* product = "lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  for (int64_t i = 0; i < count; ++i) {
    text += fmt::format(" d{0} = f32[65536,8192] dot(h{0}, w), {1}\n t{0} = f32[65536,8192] tanh(d{0})\n", i,
                        product);
    text += fmt::format(
        " m{0} = f32[65536,8192] multiply(t{0}, d{0})\n g{0} = f32[65536,4096] dot(m{0}, v), {1}\n", i,
        product);
    text += fmt::format(" r{0} = f32[65536] reduce(g{0}, zero), dimensions={{1}}, to_apply=add\n", i);
    text += fmt::format(" q{0} = f32[65536,4096] broadcast(r{0}), dimensions={{0}}\n", i);
    text += fmt::format(" k{0} = f32[65536,4096] multiply(q{0}, g{0})\n", i);
    text += fmt::format(" u{0} = f32[4096,65536] transpose(k{0}), dimensions={{1,0}}\n", i);
    text += fmt::format(" l{0} = f32[65536,4096] transpose(u{0}), dimensions={{1,0}}\n", i);
    text += fmt::format(" h{} = f32[65536,4096] add(l{}, h{})\n", i + 1, i, i);
  }
  return text + fmt::format(" ROOT out = f32[65536,4096] copy(h{}), sharding={{devices=[{},{}]<=[{}]}}\n}}\n",
                            count, rows, columns, devices);
}

}  // namespace hilo
