#include "plugins/stablehlo/contained.h"

#include "plugins/contained/contained.h"

namespace hilo::stablehlo {
namespace {

std::string encoded(const ImportResult& result) {
  std::string out;
  put(out, uint64_t{result.modules.size()});
  for (const FoundModule& module : result.modules) {
    put(out, module.hloModuleProto);
    put(out, module.format);
    put(out, uint64_t{module.firstLine});
  }
  put(out, uint64_t{result.problems.size()});
  for (const Problem& problem : result.problems) {
    put(out, static_cast<uint64_t>(problem.severity));
    put(out, problem.kind);
    put(out, problem.message);
    put(out, uint64_t{problem.line});
    put(out, uint64_t{problem.column});
    put(out, uint64_t{problem.notes.size()});
    for (const std::string& note : problem.notes) put(out, note);
  }
  return out;
}

bool decode(llvm::StringRef bytes, ImportResult& result) {
  Decoder in(bytes);
  for (uint64_t left = in.number(); left > 0 && in.good(); --left) {
    FoundModule& module = result.modules.emplace_back();
    module.hloModuleProto = in.text();
    module.format = in.text();
    module.firstLine = static_cast<uint32_t>(in.number());
  }
  for (uint64_t left = in.number(); left > 0 && in.good(); --left) {
    Problem& problem = result.problems.emplace_back();
    problem.severity = static_cast<HiloSeverity>(in.number());
    problem.kind = in.text();
    problem.message = in.text();
    problem.line = static_cast<uint32_t>(in.number());
    problem.column = static_cast<uint32_t>(in.number());
    for (uint64_t notes = in.number(); notes > 0 && in.good(); --notes) problem.notes.push_back(in.text());
  }
  return in.good();
}

Problem failure(std::string message) { return {.kind = "mlir-bytecode", .message = std::move(message)}; }

}  // namespace

ImportResult runContained(const std::function<ImportResult()>& work, size_t inputBytes,
                          const std::function<bool()>& isCancelled) {
  const Contained child = hilo::runContained([&] { return encoded(work()); }, inputBytes, isCancelled);
  ImportResult result;
  if (child.end == Contained::End::Cancelled) return result;
  if (child.end == Contained::End::Whole && decode(child.bytes, result)) return result;
  result = {};
  result.problems.push_back(failure(child.end == Contained::End::NotStarted
                                        ? "no reader process could be started"
                                        : "damaged: MLIR's bytecode reader gave up on it"));
  return result;
}

}  // namespace hilo::stablehlo
