// How long the tile view takes to answer: a fusion of 200 instructions, each of its sizes changed in turn and
// the tile moved. An answer is the tiles, constraints, the regions, the table's rows and the picture drawn.
// Counters: the mean and the longest, in time of the thread that works; `chosen_ms` is another fusion chosen.
#include "core/analysis/tiling/suggested_sizes.h"
#include "core/hlo/text/parse.h"
#include "tests/bench/qt_bench.h"
#include "tests/bench/thread_time.h"
#include "ui/views/tiles/tile_picture.h"
#include "ui/views/tiles/tile_rows.h"

namespace hilo {
namespace {

// Norms one after the other, with a reshape and back between them.
std::string norms(int count) {
  std::string inside = "x0 = f32[512,768] parameter(0)\nz = f32[] constant(0)\n";
  for (int i = 0; i < count; ++i) {
    inside += fmt::format(R"(m{0} = f32[512] reduce(x{0}, z), dimensions={{1}}, to_apply=sum
b{0} = f32[512,768] broadcast(m{0}), dimensions={{0}}
s{0} = f32[512,768] subtract(x{0}, b{0})
e{0} = f32[512,768] exponential(s{0})
a{0} = f32[8,64,768] reshape(e{0})
n{0} = f32[8,64,768] negate(a{0})
r{0} = f32[512,768] reshape(n{0})
{2}x{1} = f32[512,768] add(r{0}, x{0})
)",
                          i, i + 1, i + 1 == count ? "ROOT " : "");
  }
  return "HloModule norms\nsum { p = f32[] parameter(0)\nq = f32[] parameter(1)\nROOT r = f32[] add(p, q) "
         "}\nf { " +
         inside +
         "}\nENTRY e { x = f32[512,768] parameter(0)\nROOT r = f32[512,768] fusion(x), kind=kLoop, calls=f "
         "}\n";
}

void answer(const TilingSpace& space, const std::vector<int64_t>& sizes, TilePicture& picture) {
  const auto tiling = tilingWith(space, sizes);
  benchmark::DoNotOptimize(tilingConstraints(space));
  if (!tiling) return;
  std::vector<int64_t> tile = tileCounts(space, *tiling);
  for (int64_t& at : tile) at /= 2;
  const auto regions = regionsOf(space, *tiling, tile);
  benchmark::DoNotOptimize(tileRowsOf(space, *tiling, regions));
  TilePictureContent content;
  for (const size_t root : space.roots) content.arrays.push_back({"root", regions[root], true});
  for (size_t i = 0; i < regions.size() && content.arrays.size() < 13; ++i)
    content.arrays.push_back({"array", regions[i], false});
  picture.setContent(std::move(content));
  benchmark::DoNotOptimize(picture.grab());
}

void changes(benchmark::State& state) {
  const auto module = parseModuleStrictly(norms(static_cast<int>(state.range(0)) / 8));
  if (!module) return state.SkipWithError("the module is not read");
  TilePicture picture;
  picture.resize(1200, 500);
  for (auto _ : state) {
    const double start = threadCpuMs();
    const auto space = tilingSpace(*(*module)->entry()->root());
    const auto usual = space ? usualSizes(*space) : std::nullopt;
    if (!usual) return state.SkipWithError("the fusion is not tiled");
    state.counters["chosen_ms"] = threadCpuMs() - start;
    state.counters["instructions"] = static_cast<double>(space->instructions.size());
    double longest = 0, sum = 0, asked = 0;
    for (size_t i = 0; i < 2; ++i) {
      for (const int64_t size : sizeChoices(512)) {
        auto sizes = *usual;
        sizes[i] = size;
        const double before = threadCpuMs();
        answer(*space, sizes, picture);
        const double took = threadCpuMs() - before;
        longest = std::max(longest, took);
        sum += took;
        ++asked;
      }
    }
    state.counters["mean_ms"] = sum / asked;
    state.counters["longest_ms"] = longest;
  }
}
BENCHMARK(changes)->Arg(200)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace hilo

int main(int argc, char** argv) {
  hilo::QtBench application(argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
