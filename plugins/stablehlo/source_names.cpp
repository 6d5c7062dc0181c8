#include "plugins/stablehlo/source_names.h"

#include <llvm/ADT/StringExtras.h>

namespace hilo::stablehlo {
namespace {

llvm::StringRef textOf(llvm::SMRange range) {
  const char *begin = range.Start.getPointer(), *end = range.End.getPointer();
  return begin == nullptr || end < begin ? llvm::StringRef()
                                         : llvm::StringRef(begin, static_cast<size_t>(end - begin));
}

}  // namespace

SourceName SourceNames::at(llvm::SMLoc place, llvm::StringRef name) const {
  if (!place.isValid()) return {};
  const auto [line, column] = sources_.getLineAndColumn(place);
  return {name.str(), line, column};
}

SourceName SourceNames::of(mlir::Operation* op) const {
  const auto* found = state_.getOpDef(op);
  if (found == nullptr) return {};
  const auto& groups = found->resultGroups;
  return at(found->loc.Start, groups.empty() ? llvm::StringRef() : textOf(groups[0].definition.loc));
}

SourceName SourceNames::of(mlir::BlockArgument argument) const {
  const auto* block = state_.getBlockDef(argument.getOwner());
  if (block == nullptr || argument.getArgNumber() >= block->arguments.size()) return {};
  const llvm::SMRange range = block->arguments[argument.getArgNumber()].loc;
  return at(range.Start, textOf(range));
}

std::string hloNameOf(llvm::StringRef name) {
  name.consume_front("%");
  const auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '-'; };
  const bool isName =
      !name.empty() && (llvm::isAlpha(name[0]) || name[0] == '_') && llvm::all_of(name, isPart);
  return isName ? name.str() : "";
}

}  // namespace hilo::stablehlo
