// Tile programs on a processor against the engine's loops for the same fusion, in turns on the same
// arguments. Counters: medians in milliseconds of the `loops` and of the `tiles`, `ratio` of the two (over 1:
// tiles are quicker), the worst rounding apart is judged by compareRuns and an error where they differ.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "core/hlo/text/parse.h"
#include "core/workspace/run/compile_program.h"
#include "core/workspace/run/runs.h"
#include "core/workspace/run/tiled_module.h"

namespace hilo {
namespace {

constexpr const char* kApplied = R"(HloModule m
addf { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b) }
maxf { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] maximum(a, b) }
)";

struct Work {
  const char* name;
  std::vector<int64_t> sizes;
  std::string text;
};

Work softmax(const char* name, int64_t rows, int64_t columns, std::vector<int64_t> sizes) {
  return {name, std::move(sizes),
          fmt::format(R"(f {{ p = f32[{0},{1}] parameter(0)
  low = f32[] constant(-inf)
  z = f32[] constant(0)
  m = f32[{0}] reduce(p, low), dimensions={{1}}, to_apply=maxf
  mb = f32[{0},{1}] broadcast(m), dimensions={{0}}
  d = f32[{0},{1}] subtract(p, mb)
  e = f32[{0},{1}] exponential(d)
  s = f32[{0}] reduce(e, z), dimensions={{1}}, to_apply=addf
  sb = f32[{0},{1}] broadcast(s), dimensions={{0}}
  ROOT r = f32[{0},{1}] divide(e, sb) }}
ENTRY e {{ p = f32[{0},{1}] parameter(0)
  ROOT g = f32[{0},{1}] fusion(p), kind=kLoop, calls=f }})",
                      rows, columns)};
}

Work layerNorm(int64_t rows, int64_t columns, std::vector<int64_t> sizes) {
  return {"layer norm", std::move(sizes),
          fmt::format(R"(f {{ p = f32[{0},{1}] parameter(0)
  w = f32[{1}] parameter(1)
  z = f32[] constant(0)
  n = f32[] constant({1})
  nb = f32[{0}] broadcast(n), dimensions={{}}
  s = f32[{0}] reduce(p, z), dimensions={{1}}, to_apply=addf
  mean = f32[{0}] divide(s, nb)
  meanb = f32[{0},{1}] broadcast(mean), dimensions={{0}}
  d = f32[{0},{1}] subtract(p, meanb)
  q = f32[{0},{1}] multiply(d, d)
  t = f32[{0}] reduce(q, z), dimensions={{1}}, to_apply=addf
  v = f32[{0}] divide(t, nb)
  eps = f32[] constant(1e-5)
  epsb = f32[{0}] broadcast(eps), dimensions={{}}
  ve = f32[{0}] add(v, epsb)
  i = f32[{0}] rsqrt(ve)
  ib = f32[{0},{1}] broadcast(i), dimensions={{0}}
  y = f32[{0},{1}] multiply(d, ib)
  wb = f32[{0},{1}] broadcast(w), dimensions={{1}}
  ROOT r = f32[{0},{1}] multiply(y, wb) }}
ENTRY e {{ p = f32[{0},{1}] parameter(0)
  w = f32[{1}] parameter(1)
  ROOT g = f32[{0},{1}] fusion(p, w), kind=kLoop, calls=f }})",
                      rows, columns)};
}

Work gemm(int64_t m, int64_t n, int64_t k, std::vector<int64_t> sizes) {
  return {"gemm, bias, tanh", std::move(sizes),
          fmt::format(R"(f {{ a = f32[{0},{2}] parameter(0)
  b = f32[{2},{1}] parameter(1)
  c = f32[{1}] parameter(2)
  d = f32[{0},{1}] dot(a, b), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
  cb = f32[{0},{1}] broadcast(c), dimensions={{1}}
  s = f32[{0},{1}] add(d, cb)
  ROOT r = f32[{0},{1}] tanh(s) }}
ENTRY e {{ a = f32[{0},{2}] parameter(0)
  b = f32[{2},{1}] parameter(1)
  c = f32[{1}] parameter(2)
  ROOT g = f32[{0},{1}] fusion(a, b, c), kind=kLoop, calls=f }})",
                      m, n, k)};
}

// Scores, softmax and values of `rows` queries over `keys`, each of `depth`.
Work attention(int64_t rows, int64_t keys, int64_t depth, std::vector<int64_t> sizes) {
  return {"attention", std::move(sizes),
          fmt::format(R"(f {{ q = f32[{0},{2}] parameter(0)
  k = f32[{1},{2}] parameter(1)
  v = f32[{1},{2}] parameter(2)
  low = f32[] constant(-inf)
  z = f32[] constant(0)
  x = f32[{0},{1}] dot(q, k), lhs_contracting_dims={{1}}, rhs_contracting_dims={{1}}
  m = f32[{0}] reduce(x, low), dimensions={{1}}, to_apply=maxf
  mb = f32[{0},{1}] broadcast(m), dimensions={{0}}
  d = f32[{0},{1}] subtract(x, mb)
  e = f32[{0},{1}] exponential(d)
  s = f32[{0}] reduce(e, z), dimensions={{1}}, to_apply=addf
  sb = f32[{0},{1}] broadcast(s), dimensions={{0}}
  w = f32[{0},{1}] divide(e, sb)
  ROOT r = f32[{0},{2}] dot(w, v), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}} }}
ENTRY e {{ q = f32[{0},{2}] parameter(0)
  k = f32[{1},{2}] parameter(1)
  v = f32[{1},{2}] parameter(2)
  ROOT g = f32[{0},{2}] fusion(q, k, v), kind=kLoop, calls=f }})",
                      rows, keys, depth)};
}

Result<RunRequest> requestOf(std::shared_ptr<const Module> module, bool runsPasses,
                             const ArgumentSource& arguments) {
  TRY(CompiledModule compiled, compileProgram(std::move(module), {.runsPasses = runsPasses}, CancelToken()));
  return RunRequest{.program = std::make_shared<const Program>(std::move(compiled.program)),
                    .arguments = arguments,
                    .repeat = 30,
                    .devices = 1};
}

Status measure(const Work& work, benchmark::State& state) {
  TRY(const std::shared_ptr<const Module> module, parseModuleStrictly(kApplied + work.text));
  TRY(const auto tiled, tiledModule(*module->entry()->root(), work.sizes));
  TRY(const ArgumentSource arguments, settleArguments(*module, {}, JobContext()));
  TRY(RunRequest loops, requestOf(module, true, arguments));
  TRY(RunRequest tiles, requestOf(tiled, false, arguments));
  const std::vector<RunRequest> both = {loops, tiles};
  TRY(const auto records, tryInTurns(both, JobContext()));
  TRY_STATUS(records[0]);
  TRY_STATUS(records[1]);
  const RunComparison comparison = compareRuns(*records[0], *records[1]);
  if (comparison.verdict == Verdict::Differs) return fail("differs", "the two do not agree");
  const auto ms = [&](size_t i) { return static_cast<double>(records[i]->timings.medianNs()) / 1e6; };
  state.counters["loops"] = ms(0);
  state.counters["tiles"] = ms(1);
  state.counters["ratio"] = ms(0) / ms(1);
  return {};
}

void compare(benchmark::State& state, const Work& work) {
  for (auto _ : state) {
    if (const Status done = measure(work, state); !done) state.SkipWithError(toString(done.error()).c_str());
  }
}

const std::vector<Work>& works() {
  static const std::vector<Work> all = {softmax("softmax 1024x256", 1024, 256, {16, 256, 256, 256}),
                                        softmax("softmax 256x4096", 256, 4096, {1, 4096, 4096, 4096}),
                                        softmax("softmax 1024x256 by 64", 1024, 256, {16, 64, 64, 64}),
                                        layerNorm(1024, 768, {8, 768, 768, 768}),
                                        gemm(512, 512, 512, {64, 64, 128}),
                                        attention(256, 256, 64, {32, 64, 256, 256, 64, 256})};
  return all;
}

[[maybe_unused]] const bool kRegistered = [] {
  for (const Work& work : works())
    benchmark::RegisterBenchmark(work.name, compare, work)->Iterations(1)->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace hilo
