// How fast the reference evaluator is on what dominates real modules.
#include <benchmark/benchmark.h>

#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/evaluate.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

void runModule(benchmark::State& state, const std::string& body) {
  auto module = parseModuleStrictly("HloModule bench\n\n" + body);
  if (!module) return state.SkipWithError("does not parse");
  auto arguments = makeArguments(**module, 1);
  if (!arguments) return state.SkipWithError("no arguments");
  for (auto _ : state) {
    auto result = evaluate(**module, arguments->arguments);
    if (!result) return state.SkipWithError("does not run");
    benchmark::DoNotOptimize(result);
  }
}

void BM_Dot1024(benchmark::State& state) {
  runModule(state, R"(ENTRY e {
    a = f32[1024,1024] parameter(0)
    b = f32[1024,1024] parameter(1)
    ROOT d = f32[1024,1024] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  })");
}
BENCHMARK(BM_Dot1024)->Unit(benchmark::kMillisecond);

void BM_ElementwiseMillion(benchmark::State& state) {
  runModule(state, R"(ENTRY e {
    a = f32[1048576] parameter(0)
    b = f32[1048576] parameter(1)
    c = f32[1048576] add(a, b)
    d = f32[1048576] multiply(c, b)
    ROOT t = f32[1048576] maximum(c, d)
  })");
}
BENCHMARK(BM_ElementwiseMillion)->Unit(benchmark::kMillisecond);

void BM_SortRows(benchmark::State& state) {
  runModule(state, R"(
lt { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=LT }
ENTRY e {
  x = f32[256,1024] parameter(0)
  ROOT s = f32[256,1024] sort(x), dimensions={1}, to_apply=lt
})");
}
BENCHMARK(BM_SortRows)->Unit(benchmark::kMillisecond);

void BM_SoftmaxRows(benchmark::State& state) {
  runModule(state, R"(
max { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] maximum(a, b) }
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[512,512] parameter(0)
  low = f32[] constant(-inf)
  zero = f32[] constant(0)
  m = f32[512] reduce(x, low), dimensions={1}, to_apply=max
  mb = f32[512,512] broadcast(m), dimensions={0}
  s = f32[512,512] subtract(x, mb)
  e = f32[512,512] exponential(s)
  t = f32[512] reduce(e, zero), dimensions={1}, to_apply=add
  tb = f32[512,512] broadcast(t), dimensions={0}
  ROOT r = f32[512,512] divide(e, tb)
})");
}
BENCHMARK(BM_SoftmaxRows)->Unit(benchmark::kMillisecond);

void BM_LoopOfScalars(benchmark::State& state) {
  runModule(state, R"(
condition { s = (s32[], f32[1000]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(1000)
  ROOT r = pred[] compare(i, n), direction=LT }
body { s = (s32[], f32[1000]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  a = f32[1000] get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  v = f32[] convert(next)
  u = f32[1] reshape(v)
  w = f32[1000] dynamic-update-slice(a, u, i)
  ROOT t = (s32[], f32[1000]) tuple(next, w) }
ENTRY e {
  a = f32[1000] parameter(0)
  z = s32[] constant(0)
  t = (s32[], f32[1000]) tuple(z, a)
  ROOT w = (s32[], f32[1000]) while(t), condition=condition, body=body
})");
}
BENCHMARK(BM_LoopOfScalars)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hilo
