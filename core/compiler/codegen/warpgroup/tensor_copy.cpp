#include "core/compiler/codegen/warpgroup/tensor_copy.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/kernel_layouts/inference/nested_dimensions.h"
#include "core/compiler/codegen/warpgroup/memory_view.h"

namespace hilo::warpgroup {

using namespace inference;

namespace {

constexpr int64_t kMostOfBox = 256, kPieceBytes = 16;
constexpr size_t kMostDimensions = 5;

// A piece of a dimension of the array in shared memory.
struct Piece {
  int64_t size = 1, sharedStride = 1;
  size_t index = 0;      // of the operation's indices, and of the dimensions in global memory
  int64_t inside = 1;    // elements of its dimension in one step of it
  bool isOuter = false;  // it goes on in global memory beyond the box
};

Status checkPlain(const KernelDescription& kernel, const KernelOp& op, const Sizes& lengths, size_t first) {
  const auto* collective = op.attribute<Sizes>("collective");
  if (collective && !collective->empty()) return refuse(op, "copies to several blocks of a cluster");
  if (op.attributes.contains("leader_tracked")) return refuse(op, "copies that two blocks share");
  if (op.attributes.contains("reduction_op")) return refuse(op, "copies that are added to what is there");
  if (op.flag("is_global_broadcast")) return refuse(op, "copies to several devices");
  for (size_t i = 0; i < lengths.size(); ++i)
    if (kernel.type(op.operands[first + i]).kind != KernelType::Kind::Scalar)
      return refuse(op, "rows that are gathered or scattered");
  return {};
}

// What stands behind the indices: a predicate, and no other device.
Result<std::optional<size_t>> predicateOf(const KernelOp& op, size_t next) {
  const bool isLoad = op.opcode == "mosaic_gpu.async_load";
  const auto* segments = op.attribute<Sizes>("operandSegmentSizes");
  if (segments && (segments->size() != (isLoad ? 6u : 5u) || segments->back() != 0))
    return refuse(op, "memory of another device");
  const bool hasOne = segments ? (*segments)[segments->size() - 2] == 1 : op.operands.size() > next;
  if (op.operands.size() != next + hasOne) return refuse(op, "operands that nothing says what they are");
  return hasOne ? std::optional(next) : std::nullopt;
}

Result<std::vector<Piece>> piecesOf(const KernelOp& op, const KernelType& shared, const Sizes& lengths,
                                    const SharedTransforms& transforms) {
  const auto dimensions = transforms.tile.empty()
                              ? std::optional(dimensionsOf(shared.shape, stridesOf(shared)))
                              : tiledMemory(shared.shape, stridesOf(shared), transforms.tile);
  if (!dimensions) return refuse(op, "its tile does not fit the array in shared memory");
  std::vector<Piece> pieces;
  size_t next = 0;
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] == -1) continue;
    if (next == dimensions->size() || shared.shape[next] != lengths[i])
      return refuse(op, fmt::format("slice_lengths are not the sizes of {}", toString(shared)));
    const NestedDimension& dimension = (*dimensions)[next++];
    int64_t inside = 1;
    for (size_t k = dimension.size(); k-- > 0; inside *= dimension[k].size)
      pieces.push_back({dimension[k].size, dimension[k].stride, i, inside, k == 0});
  }
  if (next != dimensions->size())
    return refuse(op, "fewer slice_lengths than the array in shared memory has");
  return pieces;
}

// Boxes are at most 256 long: a longer piece is two.
void splitLong(std::vector<Piece>& pieces) {
  for (size_t i = 0; i < pieces.size(); ++i) {
    Piece& piece = pieces[i];
    if (piece.size <= kMostOfBox) continue;
    int64_t inner = kMostOfBox;
    while (piece.size % inner != 0) --inner;
    Piece outer{piece.size / inner, piece.sharedStride * inner, piece.index, piece.inside * inner,
                piece.isOuter};
    piece.size = inner;
    piece.isOuter = false;
    pieces.insert(pieces.begin() + static_cast<int64_t>(i) + 1, outer);
  }
}

Status checkBox(const KernelOp& op, const TensorBox& box) {
  if (box.dimensions.empty() || box.dimensions.size() > kMostDimensions)
    return refuse(op, fmt::format("a box of {} dimensions: TMA has 1 to 5", box.dimensions.size()));
  for (size_t i = 0; i < box.dimensions.size(); ++i) {
    const TensorBox::Dimension& dimension = box.dimensions[i];
    if (dimension.box > kMostOfBox)
      return refuse(op, fmt::format("{} elements along a dimension", dimension.box));
    if (i > 0 && dimension.strideBytes % kPieceBytes != 0)
      return refuse(op, fmt::format("{} bytes from one row to the next: TMA wants a multiple of 16",
                                    dimension.strideBytes));
  }
  const int64_t row = box.dimensions[0].box * box.elementBytes;
  if (box.dimensions[0].strideBytes != box.elementBytes)
    return refuse(op, "neighbours in shared memory that are none in global memory");
  if (row % kPieceBytes != 0 || (box.swizzleBytes > kPieceBytes && row > box.swizzleBytes))
    return refuse(
        op, fmt::format("rows of {} bytes: TMA wants a multiple of 16, and no more than the swizzle", row));
  return {};
}

// Pieces in the order they lie in shared memory, which has no gaps; then dimensions that are not in it.
Status fillBox(const KernelOp& op, const KernelType& global, std::vector<Piece> pieces, const Sizes& lengths,
               TensorCopy& copy) {
  std::ranges::stable_sort(pieces, {}, &Piece::sharedStride);
  const Sizes strides = stridesOf(global);
  int64_t dense = 1;
  for (const Piece& piece : pieces) {
    const int64_t whole = global.shape[piece.index];
    if (piece.isOuter && whole % piece.inside != 0)
      return refuse(op, "a tile that does not divide the array in global memory");
    const int64_t size = piece.isOuter ? whole / piece.inside : piece.size;
    if (piece.size == 1 && size == 1) continue;
    if (piece.size != 1 && piece.sharedStride != dense) return refuse(op, "shared memory with gaps");
    dense *= piece.size;
    copy.box.dimensions.push_back(
        {size, strides[piece.index] * piece.inside * copy.box.elementBytes, piece.size});
    copy.coordinates.push_back({piece.isOuter ? std::optional(piece.index) : std::nullopt, piece.inside});
  }
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] != -1) continue;
    copy.box.dimensions.push_back({global.shape[i], strides[i] * copy.box.elementBytes, 1});
    copy.coordinates.push_back({i, 1});
  }
  return checkBox(op, copy.box);
}

}  // namespace

bool isTensorCopy(const KernelOp& op) {
  return op.opcode == "mosaic_gpu.async_load" || op.opcode == "mosaic_gpu.async_store";
}

Result<TensorCopy> tensorCopyOf(const KernelDescription& kernel, const KernelOp& op,
                                const SharedTransforms& transforms) {
  const bool isLoad = op.opcode == "mosaic_gpu.async_load";
  const auto* lengths = op.attribute<Sizes>("slice_lengths");
  const size_t first = isLoad ? 3 : 2;
  if (!lengths || op.operands.size() < first + lengths->size())
    return refuse(op, "it has no slice_lengths, or fewer indices than they are");
  TRY_STATUS(checkPlain(kernel, op, *lengths, first));
  TensorCopy copy{.isLoad = isLoad,
                  .global = op.operands[isLoad ? 0 : 1],
                  .shared = op.operands[isLoad ? 1 : 0],
                  .sharedOperand = isLoad ? 1u : 0u,
                  .firstIndex = first};
  TRY(copy.predicate, predicateOf(op, first + lengths->size()));
  const KernelType &global = kernel.type(copy.global), &shared = kernel.type(copy.shared);
  const auto bytes = elementBytesOf(global);
  if (!bytes || global.element != shared.element || global.shape.size() != lengths->size())
    return refuse(op, fmt::format("from {} to {}", toString(kernel.type(op.operands[0])),
                                  toString(kernel.type(op.operands[1]))));
  copy.box.elementBytes = *bytes;
  copy.box.swizzleBytes = transforms.swizzleBytes > kPieceBytes ? transforms.swizzleBytes : 0;
  TRY(auto pieces, piecesOf(op, shared, *lengths, transforms));
  splitLong(pieces);
  TRY_STATUS(fillBox(op, global, std::move(pieces), *lengths, copy));
  return copy;
}

}  // namespace hilo::warpgroup
