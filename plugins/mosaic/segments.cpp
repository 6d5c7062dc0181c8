#include "plugins/mosaic/segments.h"

#include <llvm/ADT/StringExtras.h>

namespace hilo::mosaic {
namespace {

struct Row {
  llvm::StringLiteral operation;
  size_t count;
  size_t fromEnd;  // how far from the end the later arguments came in
};
constexpr Row kRows[] = {
    {"mosaic_gpu.async_load", 6, 0},                        // gmem_peer_id
    {"mosaic_gpu.async_store", 5, 0},                       // gmem_peer_id
    {"mosaic_gpu.tcgen05_mma", 7, 0},                       // a_sparse_metadata
    {"gpu.launch", 11, 0},                                  // asyncObject, of newer MLIR
    {"nvvm.cp.async.bulk.tensor.global.shared.cta", 5, 1},  // l2CacheHint, before the predicate
};

const Row* rowOf(llvm::StringRef operation) {
  const auto* found = llvm::find_if(kRows, [&](const Row& row) { return row.operation == operation; });
  return found == std::end(kRows) ? nullptr : found;
}

// The operation whose generic form begins in `line`: its name in quotes before a parenthesis.
llvm::StringRef genericName(llvm::StringRef line) {
  const size_t end = line.find("\"(");
  if (end == llvm::StringRef::npos) return {};
  const size_t begin = line.rfind('"', end);
  return begin == llvm::StringRef::npos ? llvm::StringRef() : line.slice(begin + 1, end);
}

constexpr llvm::StringLiteral kSizes = "operandSegmentSizes = array<i32";

std::optional<std::string> lineHere(llvm::StringRef line, llvm::StringRef operation) {
  const size_t at = line.find(kSizes);
  const size_t end = at == llvm::StringRef::npos ? at : line.find('>', at);
  if (end == llvm::StringRef::npos) return {};
  llvm::SmallVector<int32_t> sizes;
  llvm::SmallVector<llvm::StringRef> parts;
  line.slice(at + kSizes.size(), end).ltrim(": ").split(parts, ',', -1, /*KeepEmpty=*/false);
  for (const llvm::StringRef part : parts) {
    if (part.trim().getAsInteger(10, sizes.emplace_back())) return {};
  }
  const auto here = segmentsHere(operation, sizes);
  if (!here) return {};
  std::string text = (line.take_front(at) + kSizes + ": ").str();
  for (const auto& [n, size] : llvm::enumerate(*here)) text += (n > 0 ? ", " : "") + std::to_string(size);
  return text + line.substr(end).str();
}

}  // namespace

std::optional<llvm::SmallVector<int32_t>> segmentsHere(llvm::StringRef operation,
                                                       llvm::ArrayRef<int32_t> sizes) {
  const Row* row = rowOf(operation);
  if (row == nullptr || sizes.size() == row->count || sizes.size() < row->fromEnd) return {};
  llvm::SmallVector<int32_t> here(sizes);
  while (here.size() < row->count) here.insert(here.end() - static_cast<ptrdiff_t>(row->fromEnd), 0);
  while (here.size() > row->count && here.back() == 0) here.pop_back();
  return here;
}

std::optional<std::string> withSegmentsHere(llvm::StringRef text) {
  if (!text.contains(kSizes)) return {};
  std::string result;
  bool isChanged = false;
  llvm::StringRef operation;
  while (!text.empty()) {
    const auto [line, rest] = text.split('\n');
    if (const llvm::StringRef name = genericName(line); !name.empty()) operation = name;
    const auto changed = lineHere(line, operation);
    isChanged |= changed.has_value();
    result += changed ? *changed : line.str();
    if (text.size() > line.size()) result += '\n';
    text = rest;
  }
  if (!isChanged) return {};
  return result;
}

}  // namespace hilo::mosaic
