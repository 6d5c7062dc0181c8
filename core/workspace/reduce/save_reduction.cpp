#include "core/workspace/reduce/save_reduction.h"

#include <fmt/format.h>

#include "core/hlo/eval/npy.h"
#include "core/workspace/document/document.h"
#include "core/workspace/open/convert.h"

namespace hilo {
namespace {

Result<std::string> textOf(const Reduction& reduction) {
  return convertModule(*reduction.module, ConvertOptions{.kind = OutputKind::Text, .largeConstants = true});
}

Status saveAsDocument(const std::string& path, const ReduceRequest& request, const Reduction& reduction) {
  TRY(std::string text, textOf(reduction));
  TRY(const auto file, openBytes(std::move(text), path));
  HiloDocument document;
  document.items.push_back(
      {.title = std::string(reduction.module->name()), .opened = file, .arguments = {reduction.arguments}});
  document.series.push_back({.series = std::make_shared<const PassSeries>(seriesOf(request, reduction))});
  const auto saved = saveDocument(path, document);
  return saved ? Status() : std::unexpected(saved.error());
}

Status saveAsText(const std::string& path, const Reduction& reduction) {
  TRY(const std::string text, textOf(reduction));
  TRY_STATUS(writeOutput(path, text));
  if (path == "-" || reduction.arguments.empty()) return {};
  std::vector<NamedLiteral> members;
  for (size_t i = 0; i < reduction.arguments.size(); ++i)
    members.push_back({fmt::format("arg{}", i), reduction.arguments[i]});
  const Status saved = saveNpz(path + ".npz", members);
  if (saved || saved.error().kind != "unsupported-type") return saved;
  return fail("unsupported-type", fmt::format("{}: its arguments hold tuples", path), {},
              {"a .hilo holds them, as in -o small.hilo"});
}

}  // namespace

Status saveReduction(const std::string& path, const ReduceRequest& request, const Reduction& reduction) {
  return path.ends_with(".hilo") ? saveAsDocument(path, request, reduction) : saveAsText(path, reduction);
}

}  // namespace hilo
