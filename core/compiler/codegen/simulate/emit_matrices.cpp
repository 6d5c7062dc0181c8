// Products of matrices that lie spread over the lanes of a warp, and their loads and stores.
#include <bit>
#include <charconv>

#include "core/compiler/codegen/simulate/translations.h"
#include "core/compiler/codegen/simulate/warp_record.h"

namespace hilo {
namespace {

using Value = FunctionEmitter::Value;

constexpr PtxType kWord{PtxTypeKind::Bits, 32, 1};

}  // namespace

namespace {

Result<uint32_t> matrixDetailOf(FunctionEmitter& f) {
  if (!f.at().has("m8n8") || !f.at().has("b16")) return f.unsupported("its shape");
  const uint32_t count = f.at().has("x4") ? 4 : f.at().has("x2") ? 2 : 1;
  return count | (f.at().has("trans") ? kMatrixTransposed : 0);
}

Value rowAddress(FunctionEmitter& f, size_t operand) {
  const bool isShared = f.at().has("shared") || f.at().has("shared::cta");
  return f.b().CreatePtrToInt(f.pointer(f.operand(operand), isShared ? PtxSpace::Shared : PtxSpace::Generic),
                              f.b().getInt64Ty());
}

}  // namespace

Status emitLdmatrix(FunctionEmitter& f) {
  TRY(const uint32_t detail, matrixDetailOf(f));
  Record record(f, 4);
  record.put(0, rowAddress(f, 1));
  record.meet(WarpOp::LoadMatrix, detail, allLanes(f));
  for (uint32_t i = 0; i < (detail & kMatrixCount); ++i)
    f.write(f.part(f.operand(0), i), record.get(i), kWord);
  return {};
}

Status emitStmatrix(FunctionEmitter& f) {
  TRY(const uint32_t detail, matrixDetailOf(f));
  Record record(f, 5);
  record.put(0, rowAddress(f, 0));
  for (uint32_t i = 0; i < (detail & kMatrixCount); ++i)
    record.put(1 + i, f.read(f.part(f.operand(1), i), kWord));
  record.meet(WarpOp::StoreMatrix, detail, allLanes(f));
  return {};
}

Status emitMovmatrix(FunctionEmitter& f) {
  Record record(f, 1);
  record.put(0, f.readBits(1, 32));
  record.meet(WarpOp::MoveMatrix, 0, allLanes(f));
  f.write(record.get(0), kWord);
  return {};
}

namespace {

constexpr Word<MatrixType> kMatrixTypes[] = {
    {"f16", MatrixType::F16},   {"bf16", MatrixType::BF16}, {"tf32", MatrixType::TF32},
    {"f32", MatrixType::F32},   {"f64", MatrixType::F64},   {"s8", MatrixType::S8},
    {"u8", MatrixType::U8},     {"s32", MatrixType::S32},   {"e4m3", MatrixType::E4M3},
    {"e5m2", MatrixType::E5M2}, {"s4", MatrixType::S4},     {"u4", MatrixType::U4},
};

// The element types of D, A, B and C, in the order they are written.
std::vector<MatrixType> matrixTypes(const PtxInstruction& at) {
  std::vector<MatrixType> types;
  for (const std::string& modifier : at.modifiers) {
    for (const auto& known : kMatrixTypes) {
      if (known.word == modifier) types.push_back(known.value);
    }
  }
  return types;
}

// "m16n8k16"
bool readShape(const std::string& word, uint32_t (&shape)[3]) {
  const char* at = word.data();
  const char* end = at + word.size();
  for (int i = 0; i < 3; ++i) {
    if (at == end || *at != "mnk"[i]) return false;
    const auto read = std::from_chars(at + 1, end, shape[i]);
    if (read.ec != std::errc()) return false;
    at = read.ptr;
  }
  return at == end;
}

}  // namespace

// mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 d, a, b, c.
Status emitMma(FunctionEmitter& f) {
  uint32_t shape[3] = {};
  const bool hasShape =
      std::ranges::any_of(f.at().modifiers, [&](const std::string& word) { return readShape(word, shape); });
  const std::vector<MatrixType> types = matrixTypes(f.at());
  if (!hasShape || types.size() != 4 || f.operands() != 4) return f.unsupported("its shape");
  // Volta's own shape lies otherwise.
  const bool isVolta = shape[0] == 8 && types[1] == MatrixType::F16;
  if (isVolta || !f.at().has("row") || !f.at().has("col") || f.at().has("block_scale"))
    return f.unsupported("its shape");
  const auto [m, n, k] = shape;
  if ((m != 8 && m != 16) || n != 8 || k < 4 || k > 64 || !std::has_single_bit(k))
    return f.unsupported("its shape");
  const size_t sizes[] = {matrixRegisters(types[1], m * k), matrixRegisters(types[2], k * n),
                          matrixRegisters(types[3], m * n)};
  const auto size = static_cast<uint32_t>(sizes[0] + sizes[1] + sizes[2]);
  Record record(f, size);
  const bool isDouble = types[0] == MatrixType::F64;
  const PtxType reg{PtxTypeKind::Bits, static_cast<uint16_t>(isDouble ? 64 : 32), 1};
  uint32_t at = 0;
  for (size_t matrix = 0; matrix < 3; ++matrix) {
    for (size_t i = 0; i < sizes[matrix]; ++i)
      record.put(at++, f.read(f.part(f.operand(1 + matrix), i), reg));
  }
  record.meet(WarpOp::Multiply,
              matrixDetail(types[1], types[2], types[3], types[0], shape[0], shape[1], shape[2],
                           f.at().has("satfinite")),
              allLanes(f));
  for (uint32_t i = 0; i < matrixRegisters(types[0], m * n); ++i)
    f.write(f.part(f.operand(0), i), record.get(i, reg.bits), reg);
  return {};
}

namespace {

bool isInteger(MatrixType type) { return type == MatrixType::S8 || type == MatrixType::U8; }

// 1 or -1.
bool isMinusOne(const PtxOperand& operand) { return static_cast<int32_t>(operand.bits) == -1; }

// A, B and D as wgmma may have them; all but the scales, which instructions write.
Result<WarpgroupProduct> warpgroupOf(FunctionEmitter& f) {
  uint32_t shape[3] = {};
  const bool hasShape =
      std::ranges::any_of(f.at().modifiers, [&](const std::string& word) { return readShape(word, shape); });
  const std::vector<MatrixType> types = matrixTypes(f.at());
  const bool isKnown = hasShape && types.size() == 3 && f.operands() >= 4 && !f.at().has("sp") &&
                       shape[0] == 64 && shape[1] % 8 == 0 && shape[1] >= 8 && shape[1] <= 256 &&
                       shape[2] * kMatrixBits[static_cast<size_t>(types[1])] == 256;
  if (!isKnown) return f.unsupported("its shape");
  return WarpgroupProduct{.a = types[1],
                          .b = types[2],
                          .d = types[0],
                          .columns = shape[1],
                          .isAInRegisters = f.operand(1).kind == PtxOperand::Kind::Vector,
                          .saturates = f.at().has("satfinite")};
}

}  // namespace

// wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 d, a, b, adds, scale of a, of b, turns a, turns b.
Status emitWgmma(FunctionEmitter& f) {
  TRY(WarpgroupProduct p, warpgroupOf(f));
  if (!isInteger(p.a)) {
    const size_t turns = p.isAInRegisters ? 1 : 2;
    if (f.operands() < 6) return f.unsupported("its scales are missing");
    p.negatesA = isMinusOne(f.operand(4));
    p.negatesB = isMinusOne(f.operand(5));
    const bool hasTurns = f.operands() == 6 + turns;
    if (hasTurns) p.turnsB = f.operand(5 + turns).bits != 0;
    if (hasTurns && turns == 2) p.turnsA = f.operand(6).bits != 0;
  }
  const uint32_t registers = p.registers(), a = p.isAInRegisters ? 4 : 1;
  Record record(f, registers + a + 2);
  for (uint32_t i = 0; i < registers; ++i) record.put(i, f.read(f.part(f.operand(0), i), kWord));
  for (uint32_t i = 0; p.isAInRegisters && i < a; ++i)
    record.put(registers + i, f.read(f.part(f.operand(1), i), kWord));
  if (!p.isAInRegisters) record.put(registers, f.readBits(1, 64));
  record.put(registers + a, f.readBits(2, 64));
  record.put(registers + a + 1, f.predicate(f.operand(3)));
  record.meet(WarpOp::MultiplyGroup, p.detail(), allLanes(f));
  for (uint32_t i = 0; i < registers; ++i) f.write(f.part(f.operand(0), i), record.get(i), kWord);
  return {};
}

namespace {

struct WmmaShape {
  uint32_t m = 0, n = 0, k = 0;
};
Result<WmmaShape> wmmaShape(FunctionEmitter& f) {
  uint32_t shape[3] = {};
  const bool hasShape =
      std::ranges::any_of(f.at().modifiers, [&](const std::string& word) { return readShape(word, shape); });
  const auto [m, n, k] = shape;
  const bool isKnown =
      hasShape && ((m == 16 && n == 16 && (k == 16 || k == 8)) || (m == 32 && n == 8 && k == 16) ||
                   (m == 8 && n == 32 && k == 16) || (m == 8 && n == 8 && k == 4));
  if (!isKnown) return f.unsupported("its shape");
  return WmmaShape{m, n, k};
}

PtxType registerOf(MatrixType type) {
  return {PtxTypeKind::Bits, static_cast<uint16_t>(type == MatrixType::F64 ? 64 : 32), 1};
}
uint32_t registersOf(MatrixType type, uint32_t elements) { return matrixRegisters(type, elements); }

Result<WarpTile> wmmaTile(FunctionEmitter& f) {
  TRY(const WmmaShape shape, wmmaShape(f));
  const std::vector<MatrixType> types = matrixTypes(f.at());
  const bool isA = f.at().has("a"), isB = f.at().has("b");
  if (types.size() != 1 || kMatrixBits[static_cast<size_t>(types[0])] < 8) return f.unsupported("its type");
  return WarpTile{types[0], isB ? shape.k : shape.m, isA ? shape.k : shape.n, f.at().has("col")};
}

void putPlace(FunctionEmitter& f, Record& record, size_t address, bool hasStride, const WarpTile& tile) {
  const bool isShared = f.at().has("shared") || f.at().has("shared::cta");
  record.put(
      0, f.b().CreatePtrToInt(f.pointer(f.operand(address), isShared ? PtxSpace::Shared : PtxSpace::Generic),
                              f.b().getInt64Ty()));
  record.put(1, hasStride ? f.readBits(f.operands() - 1, 32)
                          : f.b().getInt32(tile.isByColumns ? tile.rows : tile.columns));
}

}  // namespace

// wmma.load.a.sync.aligned.row.m16n16k16.global.f16 registers, [address], stride.
Status emitWmmaLoad(FunctionEmitter& f) {
  TRY(const WarpTile tile, wmmaTile(f));
  const uint32_t count = registersOf(tile.type, tile.rows * tile.columns);
  Record record(f, std::max(2u, count));
  putPlace(f, record, 1, f.operands() == 3, tile);
  record.meet(WarpOp::LoadTile, tile.detail(), allLanes(f));
  const PtxType reg = registerOf(tile.type);
  const size_t written = f.operand(0).kind == PtxOperand::Kind::Vector ? f.operand(0).parts.size() : 1;
  for (uint32_t i = 0; i < written; ++i)
    f.write(f.part(f.operand(0), i), i < count ? record.get(i, reg.bits) : f.b().getIntN(reg.bits, 0), reg);
  return {};
}

Status emitWmmaStore(FunctionEmitter& f) {
  TRY(const WarpTile tile, wmmaTile(f));
  const uint32_t count = registersOf(tile.type, tile.rows * tile.columns);
  Record record(f, 2 + count);
  putPlace(f, record, 0, f.operands() == 3, tile);
  for (uint32_t i = 0; i < count; ++i)
    record.put(2 + i, f.read(f.part(f.operand(1), i), registerOf(tile.type)));
  record.meet(WarpOp::StoreTile, tile.detail(), allLanes(f));
  return {};
}

// wmma.mma.sync.aligned.row.col.m16n16k16.f32.f16.f16.f32 d, a, b, c; f16 has the types of D and C alone.
Status emitWmmaMma(FunctionEmitter& f) {
  TRY(const WmmaShape shape, wmmaShape(f));
  const std::vector<MatrixType> types = matrixTypes(f.at());
  if ((types.size() != 2 && types.size() != 4) || f.operands() != 4 || f.at().has("popc"))
    return f.unsupported("its types");
  const bool isHalf = types.size() == 2;
  TileProduct p{.a = isHalf ? MatrixType::F16 : types[1],
                .c = types.back(),
                .d = types[0],
                .m = shape.m,
                .n = shape.n,
                .k = shape.k,
                .saturates = f.at().has("satfinite")};
  if (!isHalf && types[1] != types[2]) return f.unsupported("its types");
  if (kMatrixBits[static_cast<size_t>(p.a)] < 8) return f.unsupported("its types");
  p.registersA = registersOf(p.a, p.m * p.k);
  p.registersB = registersOf(p.a, p.k * p.n);
  const uint32_t sizes[] = {p.registersA, p.registersB, registersOf(p.c, p.m * p.n)};
  const MatrixType kinds[] = {p.a, p.a, p.c};
  Record record(f, sizes[0] + sizes[1] + std::max(sizes[2], registersOf(p.d, p.m * p.n)));
  uint32_t at = 0;
  for (size_t matrix = 0; matrix < 3; ++matrix) {
    for (uint32_t i = 0; i < sizes[matrix]; ++i)
      record.put(at++, f.read(f.part(f.operand(1 + matrix), i), registerOf(kinds[matrix])));
  }
  record.meet(WarpOp::MultiplyTiles, p.detail(), allLanes(f));
  const PtxType reg = registerOf(p.d);
  for (uint32_t i = 0; i < registersOf(p.d, p.m * p.n); ++i)
    f.write(f.part(f.operand(0), i), record.get(i, reg.bits), reg);
  return {};
}

}  // namespace hilo
