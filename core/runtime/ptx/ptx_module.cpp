#include "core/runtime/ptx/ptx_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/base/enum_table.h"

namespace hilo {
namespace {

struct TypePrefix {
  std::string_view prefix;
  PtxTypeKind kind;
};
// "bf" before "b".
constexpr TypePrefix kPrefixes[] = {
    {"bf", PtxTypeKind::Brain},   {"tf", PtxTypeKind::Tensor}, {"b", PtxTypeKind::Bits},
    {"u", PtxTypeKind::Unsigned}, {"s", PtxTypeKind::Signed},  {"f", PtxTypeKind::Float},
};
constexpr std::string_view kOpaque[] = {"texref", "samplerref", "surfref"};

bool isWidth(unsigned bits, PtxTypeKind kind) {
  if (kind == PtxTypeKind::Tensor) return bits == 32;
  if (kind == PtxTypeKind::Brain) return bits == 16;
  if (kind == PtxTypeKind::Float) return bits == 16 || bits == 32 || bits == 64;
  return bits == 1 || bits == 2 || bits == 4 || bits == 8 || bits == 16 || bits == 32 || bits == 64 ||
         bits == 128;
}

}  // namespace

bool readPtxType(std::string_view word, PtxType& type) {
  if (word == "pred") {
    type = {PtxTypeKind::Predicate, 1, 1};
    return true;
  }
  if (std::ranges::find(kOpaque, word) != std::end(kOpaque)) {
    type = {PtxTypeKind::Opaque, 64, 1};
    return true;
  }
  for (const TypePrefix& known : kPrefixes) {
    if (!word.starts_with(known.prefix)) continue;
    const char* end = word.data() + word.size();
    unsigned bits = 0, lanes = 1;
    auto read = std::from_chars(word.data() + known.prefix.size(), end, bits);
    if (read.ec != std::errc()) continue;
    if (read.ptr != end) {
      if (*read.ptr != 'x') return false;
      read = std::from_chars(read.ptr + 1, end, lanes);
      if (read.ec != std::errc() || read.ptr != end || (lanes != 2 && lanes != 4)) return false;
    }
    if (!isWidth(bits, known.kind)) return false;
    type = {known.kind, static_cast<uint16_t>(bits), static_cast<uint8_t>(lanes)};
    return true;
  }
  return false;
}

std::string toString(const PtxType& type) {
  static constexpr EnumTable<PtxTypeKind, std::string_view> kNames(
      {"b", "u", "s", "f", "bf", "tf", "pred", "texref"});
  std::string text(kNames[type.kind]);
  if (type.kind == PtxTypeKind::Predicate || type.kind == PtxTypeKind::Opaque) return text;
  text += std::to_string(type.bits);
  if (type.lanes > 1) text += fmt::format("x{}", type.lanes);
  return text;
}

std::string_view ptxSpaceName(PtxSpace space) {
  static constexpr EnumTable<PtxSpace, std::string_view> kNames(
      {"generic", "const", "global", "local", "param", "shared", "reg"});
  return kNames[space];
}

bool PtxInstruction::has(std::string_view modifier) const {
  return std::ranges::find(modifiers, modifier) != modifiers.end();
}

const PtxAttribute* PtxFunction::attribute(std::string_view wanted) const {
  const auto found = std::ranges::find(attributes, wanted, &PtxAttribute::name);
  return found == attributes.end() ? nullptr : &*found;
}

const PtxFunction* PtxModule::function(std::string_view wanted) const {
  const PtxFunction* declared = nullptr;
  for (const PtxFunction& function : functions) {
    if (function.name != wanted) continue;
    if (function.hasBody) return &function;
    declared = &function;
  }
  return declared;
}

const PtxVariable* PtxModule::variable(std::string_view wanted) const {
  const auto found = std::ranges::find(variables, wanted, &PtxVariable::name);
  return found == variables.end() ? nullptr : &*found;
}

}  // namespace hilo
