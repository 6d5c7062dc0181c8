// Tile programs on a processor against what the engine makes of the same instructions with its passes, in
// turns on the same arguments. Counters: medians in milliseconds of the `tiles` and of the `loops`; `ratio`,
// the median of loops over tiles of the same turn (over 1: tiles are quicker), which lies between `low` and
// `high`; `copy`, the median of copying as many bytes as are read and written. Results that differ by more
// than rounding are an error.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "core/hlo/text/parse.h"
#include "core/workspace/run/compile_program.h"
#include "core/workspace/run/runs.h"
#include "core/workspace/run/tiled_module.h"

namespace hilo {
namespace {

constexpr int kRepeat = 201;

constexpr const char* kApplied = R"(HloModule m
addf { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b) }
maxf { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] maximum(a, b) }
)";

// What is computed: parameters by their shapes, and instructions that name them.
struct Work {
  const char* name;
  std::vector<int64_t> sizes;
  std::string parameters, instructions, result, operands;

  // As the engine's passes get it, and as one fusion.
  std::string alone() const { return fmt::format("ENTRY e {{ {} {} }}", parameters, instructions); }
  std::string fused() const {
    return fmt::format("f {{ {0} {1} }}\nENTRY e {{ {0} ROOT g = {2} fusion({3}), kind=kLoop, calls=f }}",
                       parameters, instructions, result, operands);
  }
};

Work softmax(const char* name, int64_t rows, int64_t columns, std::vector<int64_t> sizes) {
  const std::string all = fmt::format("f32[{},{}]", rows, columns);
  return {name,
          std::move(sizes),
          fmt::format("p = {} parameter(0)\n", all),
          fmt::format(R"(low = f32[] constant(-inf)
  z = f32[] constant(0)
  m = f32[{0}] reduce(p, low), dimensions={{1}}, to_apply=maxf
  mb = {1} broadcast(m), dimensions={{0}}
  d = {1} subtract(p, mb)
  e = {1} exponential(d)
  s = f32[{0}] reduce(e, z), dimensions={{1}}, to_apply=addf
  sb = {1} broadcast(s), dimensions={{0}}
  ROOT r = {1} divide(e, sb))",
                      rows, all),
          all,
          "p"};
}

Work layerNorm(const char* name, int64_t rows, int64_t columns, std::vector<int64_t> sizes) {
  const std::string all = fmt::format("f32[{},{}]", rows, columns);
  return {name,
          std::move(sizes),
          fmt::format("p = {} parameter(0)\n w = f32[{}] parameter(1)\n", all, columns),
          fmt::format(R"(z = f32[] constant(0)
  n = f32[] constant({1})
  nb = f32[{0}] broadcast(n), dimensions={{}}
  s = f32[{0}] reduce(p, z), dimensions={{1}}, to_apply=addf
  mean = f32[{0}] divide(s, nb)
  meanb = {2} broadcast(mean), dimensions={{0}}
  d = {2} subtract(p, meanb)
  q = {2} multiply(d, d)
  t = f32[{0}] reduce(q, z), dimensions={{1}}, to_apply=addf
  v = f32[{0}] divide(t, nb)
  eps = f32[] constant(1e-5)
  epsb = f32[{0}] broadcast(eps), dimensions={{}}
  ve = f32[{0}] add(v, epsb)
  i = f32[{0}] rsqrt(ve)
  ib = {2} broadcast(i), dimensions={{0}}
  y = {2} multiply(d, ib)
  wb = {2} broadcast(w), dimensions={{1}}
  ROOT r = {2} multiply(y, wb))",
                      rows, columns, all),
          all,
          "p, w"};
}

Work gemm(const char* name, int64_t m, int64_t n, int64_t k, std::vector<int64_t> sizes) {
  const std::string all = fmt::format("f32[{},{}]", m, n);
  return {name,
          std::move(sizes),
          fmt::format(
              "a = f32[{0},{2}] parameter(0)\n b = f32[{2},{1}] parameter(1)\n c = f32[{1}] parameter(2)\n",
              m, n, k),
          fmt::format(R"(d = {0} dot(a, b), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
  cb = {0} broadcast(c), dimensions={{1}}
  s = {0} add(d, cb)
  ROOT r = {0} tanh(s))",
                      all),
          all,
          "a, b, c"};
}

// Scores, softmax and values of `rows` queries over `keys`, each of `depth`.
Work attention(const char* name, int64_t rows, int64_t keys, int64_t depth, std::vector<int64_t> sizes) {
  return {
      name,
      std::move(sizes),
      fmt::format(
          "q = f32[{0},{2}] parameter(0)\n k = f32[{1},{2}] parameter(1)\n v = f32[{1},{2}] parameter(2)\n",
          rows, keys, depth),
      fmt::format(R"(low = f32[] constant(-inf)
  z = f32[] constant(0)
  x = f32[{0},{1}] dot(q, k), lhs_contracting_dims={{1}}, rhs_contracting_dims={{1}}
  m = f32[{0}] reduce(x, low), dimensions={{1}}, to_apply=maxf
  mb = f32[{0},{1}] broadcast(m), dimensions={{0}}
  d = f32[{0},{1}] subtract(x, mb)
  e = f32[{0},{1}] exponential(d)
  s = f32[{0}] reduce(e, z), dimensions={{1}}, to_apply=addf
  sb = f32[{0},{1}] broadcast(s), dimensions={{0}}
  w = f32[{0},{1}] divide(e, sb)
  ROOT r = f32[{0},{2}] dot(w, v), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}})",
                  rows, keys, depth),
      fmt::format("f32[{},{}]", rows, depth),
      "q, k, v"};
}

Result<RunRequest> requestOf(std::shared_ptr<const Module> module, bool runsPasses,
                             const ArgumentSource& arguments) {
  TRY(CompiledModule compiled, compileProgram(std::move(module), {.runsPasses = runsPasses}, CancelToken()));
  return RunRequest{.program = std::make_shared<const Program>(std::move(compiled.program)),
                    .arguments = arguments,
                    .repeat = kRepeat,
                    .devices = 1};
}

// The engine's copy of an array, these bytes together with its result.
Result<RunRequest> copyOf(int64_t bytes) {
  const std::string array = fmt::format("f32[{}]", bytes / 2 / 4);
  TRY(const std::shared_ptr<const Module> module,
      parseModuleStrictly(
          fmt::format("HloModule m\nENTRY e {{ p = {0} parameter(0)\n ROOT r = {0} copy(p) }}", array)));
  TRY(const ArgumentSource arguments, settleArguments(*module, {}, JobContext()));
  return requestOf(module, false, arguments);
}

int64_t bytesMoved(const Module& module) {
  int64_t bytes = module.entry()->root()->shape().byteSize();
  for (const Instruction* parameter : module.entry()->parameters()) bytes += parameter->shape().byteSize();
  return bytes;
}

Status measure(const Work& work, benchmark::State& state) {
  TRY(const std::shared_ptr<const Module> module, parseModuleStrictly(kApplied + work.alone()));
  TRY(const std::shared_ptr<const Module> fused, parseModuleStrictly(kApplied + work.fused()));
  TRY(const auto tiled, tiledModule(*fused->entry()->root(), work.sizes));
  TRY(const ArgumentSource arguments, settleArguments(*module, {}, JobContext()));
  TRY(RunRequest loops, requestOf(module, true, arguments));
  TRY(RunRequest tiles, requestOf(tiled, false, arguments));
  TRY(RunRequest copy, copyOf(bytesMoved(*module)));
  const std::vector<RunRequest> all = {tiles, loops, copy};
  TRY(const auto records, tryInTurns(all, JobContext()));
  for (const auto& record : records) TRY_STATUS(record);
  const RunComparison comparison = compareRuns(*records[0], *records[1], {}, /*inTurns=*/true);
  if (comparison.verdict == Verdict::Differs) return fail("differs", "the two do not agree");
  const auto ms = [&](size_t i) { return static_cast<double>(records[i]->timings.medianNs()) / 1e6; };
  state.counters["tiles"] = ms(0);
  state.counters["loops"] = ms(1);
  state.counters["copy"] = ms(2);
  state.counters["ratio"] = comparison.pairedRatio->median;
  state.counters["low"] = comparison.pairedRatio->low;
  state.counters["high"] = comparison.pairedRatio->high;
  return {};
}

void compare(benchmark::State& state, const Work& work) {
  for (auto _ : state) {
    if (const Status done = measure(work, state); !done) state.SkipWithError(toString(done.error()).c_str());
  }
}

const std::vector<Work>& works() {
  static const std::vector<Work> all = {
      softmax("softmax 1024x256", 1024, 256, {16, 256, 256, 256}),
      softmax("softmax 256x4096", 256, 4096, {1, 4096, 4096, 4096}),
      softmax("softmax 1024x256, folds by 64", 1024, 256, {16, 256, 64, 64}),
      softmax("softmax 1024x256, all by 64", 1024, 256, {16, 64, 64, 64}),
      layerNorm("layer norm 1024x768", 1024, 768, {8, 768, 768, 768}),
      layerNorm("layer norm 1024x768, 2 rows", 1024, 768, {2, 768, 768, 768}),
      layerNorm("layer norm 1024x768, folds by 128", 1024, 768, {8, 768, 128, 128}),
      gemm("gemm 512, bias, tanh", 512, 512, 512, {64, 64, 128}),
      gemm("gemm 512, bias, tanh, 128 rows", 512, 512, 512, {128, 64, 128}),
      attention("attention 256, depth 64, 32 rows", 256, 256, 64, {32, 64, 256, 64, 256, 256}),
      attention("attention 256, depth 64, 64 rows", 256, 256, 64, {64, 64, 256, 64, 256, 256}),
      attention("attention 256, depth 64, 16 rows", 256, 256, 64, {16, 64, 256, 64, 256, 256}),
      attention("attention 1024, depth 64, 16 rows", 1024, 1024, 64, {16, 64, 1024, 64, 1024, 1024}),
      attention("attention 1024, depth 64, 32 rows", 1024, 1024, 64, {32, 64, 1024, 64, 1024, 1024}),
      attention("attention 1024, depth 64, 64 rows", 1024, 1024, 64, {64, 64, 1024, 64, 1024, 1024})};
  return all;
}

[[maybe_unused]] const bool kRegistered = [] {
  for (const Work& work : works())
    benchmark::RegisterBenchmark(work.name, compare, work)->Iterations(1)->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace hilo
