#include <fmt/format.h>

#include "core/runtime/program/program.h"

namespace hilo {
namespace {

#if defined(__x86_64__)
// What the processor has and the system lets programs use, by LLVM's names; nullopt: a name not known here.
std::optional<bool> hasFeature(std::string_view name) {
#define FEATURE(text, gcc) \
  if (name == text) return __builtin_cpu_supports(gcc) != 0
  FEATURE("sse3", "sse3");
  FEATURE("ssse3", "ssse3");
  FEATURE("sse4.1", "sse4.1");
  FEATURE("sse4.2", "sse4.2");
  FEATURE("popcnt", "popcnt");
  FEATURE("avx", "avx");
  FEATURE("avx2", "avx2");
  FEATURE("fma", "fma");
  FEATURE("f16c", "f16c");
  FEATURE("bmi", "bmi");
  FEATURE("bmi2", "bmi2");
  FEATURE("lzcnt", "lzcnt");
  FEATURE("avx512bf16", "avx512bf16");
  FEATURE("avx512f", "avx512f");
  FEATURE("avx512bw", "avx512bw");
  FEATURE("avx512cd", "avx512cd");
  FEATURE("avx512dq", "avx512dq");
  FEATURE("avx512vl", "avx512vl");
#undef FEATURE
  return std::nullopt;
}
constexpr std::string_view kArchitecture = "x86_64";
#else
std::optional<bool> hasFeature(std::string_view) { return std::nullopt; }
constexpr std::string_view kArchitecture = "";
#endif

}  // namespace

Status checkMachine(const ProgramTarget& target) {
  const std::string_view architecture = std::string_view(target.triple).substr(0, target.triple.find('-'));
  if (architecture != kArchitecture || !target.triple.contains("linux")) {
    return fail("wrong-machine",
                fmt::format("the program is for {}, and this machine is {}", target.triple,
                            kArchitecture.empty() ? "of a kind not supported" : kArchitecture));
  }
  std::string lacking;
  for (const std::string& feature : target.features) {
    if (hasFeature(feature) != true) lacking += (lacking.empty() ? "" : ", ") + feature;
  }
  if (lacking.empty()) return {};
  return fail("wrong-machine", fmt::format("the program needs {}, which this processor lacks", lacking), {},
              {fmt::format("it was compiled for {}", target.processor), "compile it again on this machine"});
}

}  // namespace hilo
