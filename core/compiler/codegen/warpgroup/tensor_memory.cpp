#include "core/compiler/codegen/warpgroup/tensor_memory.h"

#include <algorithm>
#include <bit>

namespace hilo::warpgroup {

using llvm::Value;

namespace {

constexpr int64_t kMostRegisters = 32, kWordBits = 32;
constexpr unsigned kTensorSpace = 6;  // LLVM's number of the address space

// What a register of an instruction is: lane and column counted from its first.
struct Spot {
  int64_t lane = 0, column = 0;
};
struct Shape {
  std::string_view name;
  int64_t lanes, columns, registers;  // of .x1
  Spot (*spot)(int64_t lane, int64_t reg);
};
constexpr Shape kShapes[] = {
    {"32x32b", 32, 1, 1, [](int64_t lane, int64_t) { return Spot{lane, 0}; }},
    {"16x256b", 16, 8, 4,
     [](int64_t lane, int64_t reg) { return Spot{lane / 4 + reg / 2 * 8, lane % 4 * 2 + reg % 2}; }},
    {"16x128b", 16, 4, 2, [](int64_t lane, int64_t reg) { return Spot{lane / 4 + reg * 8, lane % 4}; }}};

// The elements of a thread that one register holds; nothing where the thread does not hold one of them.
std::optional<std::vector<size_t>> elementsIn(const TensorView& view, const RegisterMap& registers,
                                              const TensorPiece& piece, Spot spot, int64_t thread) {
  const int64_t warp = thread / kLanesOfWarp, inWord = kWordBits / view.elementBits;
  std::vector<size_t> elements;
  for (int64_t i = 0; i < inWord; ++i) {
    RegisterPlace place{.warp = warp, .lane = piece.lane + spot.lane};
    place.reg = piece.column + (piece.isPacked ? spot.column * inWord + i : spot.column);
    place.slot = piece.isPacked ? 0 : i;
    const auto index = view.map.elementAt(place);
    const auto element = index ? elementAt(registers, *index, thread) : std::nullopt;
    if (!element) return std::nullopt;
    elements.push_back(*element);
  }
  return elements;
}

// Which elements each register has, when that is the same for all threads.
bool fill(const TensorView& view, const RegisterMap& registers, const Shape& shape, TensorPiece& piece) {
  for (int64_t reg = 0; reg < piece.times * shape.registers; ++reg) {
    for (int64_t thread = 0; thread < kThreadsOfWarpgroup; ++thread) {
      Spot spot = shape.spot(thread % kLanesOfWarp, reg % shape.registers);
      spot.column += reg / shape.registers * shape.columns;
      auto elements = elementsIn(view, registers, piece, spot, thread);
      if (!elements) return false;
      if (thread == 0)
        piece.registers.push_back(*std::move(elements));
      else if (piece.registers.back() != *elements)
        return false;
    }
  }
  return true;
}

std::optional<std::vector<TensorPiece>> piecesOf(const TensorView& view, const RegisterMap& registers,
                                                 const Shape& shape, bool isPacked) {
  const int64_t words = isPacked ? view.columns() * view.elementBits / kWordBits : view.columns();
  if (words % shape.columns != 0 || (isPacked && view.columns() * view.elementBits % kWordBits != 0))
    return std::nullopt;
  std::vector<TensorPiece> pieces;
  for (int64_t lane = 0; lane < kLanesOfWarp; lane += shape.lanes) {
    for (int64_t done = 0; done < words;) {
      const auto left = static_cast<uint64_t>((words - done) / shape.columns);
      const int64_t times =
          std::min(static_cast<int64_t>(std::bit_floor(left)), kMostRegisters / shape.registers);
      TensorPiece& piece = pieces.emplace_back(TensorPiece{
          shape.name, times, lane, isPacked ? done * kWordBits / view.elementBits : done, isPacked, {}});
      if (!fill(view, registers, shape, piece)) return std::nullopt;
      done += times * shape.columns;
    }
  }
  return pieces;
}

}  // namespace

Value* tensorPointer(ThreadCode& code, Value* address, int64_t lane, int64_t column) {
  Value* at = code.b().CreateAdd(address, code.int32(lane << 16 | column));
  return code.b().CreateIntToPtr(at, llvm::PointerType::get(code.b().getContext(), kTensorSpace));
}

std::optional<std::vector<TensorPiece>> tensorPieces(const TensorView& view, const RegisterMap& registers) {
  const bool isFull = view.map.vectorLength() * view.elementBits == kWordBits;
  const bool isPacked = !isFull && view.elementBits == 16 && view.map.vectorLength() == 1;
  if ((!isFull && !isPacked) || !std::holds_alternative<TiledLayout>(registers.layout())) return std::nullopt;
  for (const Shape& shape : kShapes)
    if (auto pieces = piecesOf(view, registers, shape, isPacked)) return pieces;
  return std::nullopt;
}

}  // namespace hilo::warpgroup
