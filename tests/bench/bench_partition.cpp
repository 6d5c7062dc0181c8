// How long partitioning takes: layers of two products, a reduction and elementwise work, about 17,000
// instructions, over a mesh of two axes with 8, 256 and 65,536 devices. Propagation and partitioning by
// themselves, without reading or writing text. Counters: instructions before and after.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "core/compiler/pass/pass_runner.h"
#include "core/compiler/passes/pass_list.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

// Rows lie along the first axis of the mesh, features of the products along the second.
std::string layers(int64_t count, int64_t rows, int64_t columns) {
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

void partition(benchmark::State& state) {
  const auto parsed = parseModuleStrictly(layers(1700, state.range(0), state.range(1)));
  const auto passes = parsePassList("sharding-propagation,spmd-partitioning");
  if (!parsed || !passes) return state.SkipWithError("the module or the list of passes is not read");
  const std::shared_ptr<const Module> module = (*parsed)->clone();
  for (auto _ : state) {
    const PassRun run = runPasses(module, *passes, {});
    if (!run.completed()) return state.SkipWithError("not partitioned");
    state.counters["after"] = static_cast<double>(run.output()->entry()->instructionCount());
  }
  state.counters["before"] = static_cast<double>(module->entry()->instructionCount());
}
BENCHMARK(partition)->Args({4, 2})->Args({16, 16})->Args({256, 256})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hilo
