#include <fmt/format.h>

#include <bit>

#include "core/runtime/ptx/ptx_reader.h"

namespace hilo {
namespace {

constexpr int kMostNesting = 16;
constexpr uint64_t kMostBytes = uint64_t{1} << 40;  // of a variable

}  // namespace

// .param .u64 .ptr .global .align 16 name[4] = {...}, other;
Status PtxReader::readVariables(PtxSpace space, PtxLinkage linkage, std::vector<PtxVariable>& into) {
  TRY(PtxVariable first, readVariable(space, linkage));
  into.push_back(first);
  while (in_.take(",")) {
    PtxVariable next;
    next.space = space, next.linkage = linkage, next.type = first.type, next.vector = first.vector;
    next.alignment = first.alignment;
    next.line = in_.line();
    next.name = in_.name();
    if (next.name.empty()) return in_.unexpected("a name");
    TRY_STATUS(readDimensions(next));
    TRY_STATUS(readInitializer(next));
    into.push_back(std::move(next));
  }
  return in_.expect(";");
}

Result<PtxVariable> PtxReader::readVariable(PtxSpace space, PtxLinkage linkage) {
  PtxVariable variable;
  variable.space = space;
  variable.linkage = linkage;
  TRY_STATUS(readVariableWords(variable));
  variable.line = in_.line();
  variable.name = in_.name();
  if (variable.name.empty()) return in_.unexpected("a name");
  TRY_STATUS(readDimensions(variable));
  TRY_STATUS(readInitializer(variable));
  return variable;
}

Status PtxReader::readVariableWords(PtxVariable& variable) {
  bool hasType = false;
  while (in_.peek() == '.') {
    const std::string word(in_.directive());
    if (word == "align") {
      TRY(const uint64_t bytes, in_.integer());
      if (!std::has_single_bit(bytes) || bytes > (1 << 20))
        return in_.wrong("unexpected-token", fmt::format("{} is no alignment", bytes));
      (variable.isPointer ? variable.pointeeAlignment : variable.alignment) = bytes;
    } else if (word == "ptr") {
      variable.isPointer = true;
    } else if (word == "v2" || word == "v4" || word == "v8") {
      variable.vector = static_cast<uint32_t>(word[1] - '0');
    } else if (word == "global" || word == "const" || word == "local" || word == "shared" ||
               word == "attribute" || word == "managed") {
      if (word == "global") variable.pointee = PtxSpace::Global;
      if (word == "const") variable.pointee = PtxSpace::Const;
      if (word == "local") variable.pointee = PtxSpace::Local;
      if (word == "shared") variable.pointee = PtxSpace::Shared;
      if (word == "attribute") {
        in_.until(")");
        TRY_STATUS(in_.expect(")"));
      }
    } else if (readPtxType(word, variable.type)) {
      hasType = true;
    } else {
      return in_.wrong("unknown-type", fmt::format("no type .{} is known", word));
    }
  }
  if (!hasType) return in_.unexpected("a type");
  return {};
}

Status PtxReader::readDimensions(PtxVariable& variable) {
  while (in_.take("[")) {
    variable.isArray = true;
    uint64_t size = 0;
    if (in_.peek() != ']') {
      TRY(size, in_.integer());
    }
    TRY_STATUS(in_.expect("]"));
    if (size > kMostBytes || (size != 0 && variable.bytes() > kMostBytes / size))
      return in_.wrong("ptx-too-large", fmt::format("{} has more than {} bytes", variable.name, kMostBytes));
    variable.elements *= size;
  }
  return {};
}

Status PtxReader::readInitializer(PtxVariable& variable) {
  if (!in_.take("=")) return {};
  TRY_STATUS(readInitialValue(variable, 0));
  if (variable.isArray && variable.elements == 0 && variable.elementBytes() > 0)
    variable.elements = variable.initial.size() / variable.elementBytes();
  if (variable.initial.size() > variable.bytes())
    return in_.wrong("unexpected-token",
                     fmt::format("{} has more initial values than elements", variable.name));
  return {};
}

// A number, a name with an offset, generic(name), or a list of such.
Status PtxReader::readInitialValue(PtxVariable& variable, int depth) {
  if (depth > kMostNesting) return in_.wrong("ptx-too-deep", "initial values are nested too deep");
  if (in_.take("{")) {
    if (in_.take("}")) return {};
    do TRY_STATUS(readInitialValue(variable, depth + 1));
    while (in_.take(","));
    return in_.expect("}");
  }
  const uint32_t bytes = std::max<uint32_t>(1, variable.type.totalBits() / 8);
  const size_t at = variable.initial.size();
  TRY(const auto read, in_.number());
  uint64_t bits = 0;
  if (read) {
    bits = read->bits;
    const bool isDouble = read->kind == PtxNumber::Kind::Float64;
    if (isDouble && variable.type.isFloat() && bytes == 4)
      bits = std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
  } else {
    PtxSymbolAt symbol{.offset = static_cast<uint32_t>(at), .bytes = bytes};
    symbol.name = in_.name();
    if (symbol.name == "generic" && in_.take("(")) {
      symbol.isGeneric = true;
      symbol.name = in_.name();
      TRY_STATUS(in_.expect(")"));
    }
    if (symbol.name.empty() || (bytes != 8 && bytes != 4)) return in_.unexpected("an initial value");
    const bool minus = in_.peek() == '-';
    if (in_.take("+") || minus) {
      TRY(const uint64_t addend, in_.integer());
      symbol.addend = static_cast<int64_t>(addend);
    }
    variable.symbols.push_back(std::move(symbol));
  }
  for (uint32_t i = 0; i < bytes; ++i)
    variable.initial.push_back(i < 8 ? static_cast<std::byte>(bits >> (8 * i)) : std::byte{0});
  return {};
}

// (.param .b32 a, .reg .u64 b)
Status PtxReader::readParams(std::vector<PtxVariable>& params) {
  TRY_STATUS(in_.expect("("));
  if (in_.take(")")) return {};
  do {
    const std::string word(in_.directive());
    if (word != "param" && word != "reg") return in_.unexpected(".param or .reg");
    TRY(PtxVariable param,
        readVariable(word == "reg" ? PtxSpace::Register : PtxSpace::Param, PtxLinkage::Internal));
    params.push_back(std::move(param));
  } while (in_.take(","));
  return in_.expect(")");
}

}  // namespace hilo
