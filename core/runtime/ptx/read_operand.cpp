#include <fmt/format.h>

#include <charconv>

#include "core/runtime/ptx/ptx_reader.h"

namespace hilo {
namespace {

constexpr int kMostNesting = 8;

// "%r12" is "%r" and 12.
bool splitNumber(const std::string& name, std::string& stem, uint64_t& number) {
  const size_t end = name.find_last_not_of("0123456789");
  if (end == std::string::npos || end + 1 == name.size()) return false;
  stem = name.substr(0, end + 1);
  if (name[end + 1] == '0' && end + 2 < name.size()) return false;
  return std::from_chars(name.data() + end + 1, name.data() + name.size(), number).ec == std::errc();
}

}  // namespace

uint32_t PtxReader::findRegister(const std::string& name) {
  std::string stem;
  uint64_t number = 0;
  const bool isNumbered = splitNumber(name, stem, number);
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    auto found = scope->registers.find(name);
    uint64_t at = 0;
    if (found == scope->registers.end() || found->second.count != 0) {
      if (!isNumbered) continue;
      found = scope->registers.find(stem);
      at = number;
      if (found == scope->registers.end() || found->second.count <= number) continue;
    }
    RegisterFamily& family = found->second;
    const auto [entry, isNew] =
        family.used.try_emplace(at, static_cast<uint32_t>(function_->registers.size()));
    if (isNew) {
      uint32_t& times = givenNames_[name];
      std::string unique = times == 0 ? name : fmt::format("{}${}", name, times);
      while (times++ > 0 && givenNames_.contains(unique)) unique = fmt::format("{}${}", name, times);
      if (unique != name) givenNames_[unique] = 1;
      function_->registers.push_back({std::move(unique), family.type});
    }
    return entry->second;
  }
  return PtxInstruction::kNone;
}

// An operand, and what may be joined to it: %r1|%p1.
Result<PtxOperand> PtxReader::readOperand(int depth) {
  if (depth > kMostNesting) return in_.wrong("ptx-too-deep", "operands are nested too deep");
  if (in_.take("{")) return readGroup(PtxOperand::Kind::Vector, "}", depth);
  if (in_.take("[")) return readAddress(depth);
  if (in_.take("(")) return readGroup(PtxOperand::Kind::List, ")", depth);
  TRY(PtxOperand first, readSimple());
  if (!in_.take("|")) return first;
  PtxOperand pair{.kind = PtxOperand::Kind::Pair};
  pair.parts.push_back(std::move(first));
  TRY(PtxOperand second, readSimple());
  pair.parts.push_back(std::move(second));
  return pair;
}

Result<PtxOperand> PtxReader::readGroup(PtxOperand::Kind kind, std::string_view end, int depth) {
  PtxOperand group{.kind = kind};
  if (in_.take(end)) return group;
  do {
    TRY(PtxOperand part, readOperand(depth + 1));
    group.parts.push_back(std::move(part));
  } while (in_.take(","));
  TRY_STATUS(in_.expect(end));
  return group;
}

// After '[': a base, an offset, coordinates of a tensor.
Result<PtxOperand> PtxReader::readAddress(int depth) {
  PtxOperand address{.kind = PtxOperand::Kind::Address};
  TRY(PtxOperand base, readSimple());
  if (base.kind == PtxOperand::Kind::Name) std::swap(address.bits, base.bits);
  address.parts.push_back(std::move(base));
  if (in_.take("+") || in_.peek() == '-') {
    TRY(const uint64_t offset, in_.integer());
    address.bits += offset;
  }
  if (in_.take(",")) {
    TRY(PtxOperand coordinates, readOperand(depth + 1));
    address.parts.push_back(std::move(coordinates));
  }
  TRY_STATUS(in_.expect("]"));
  return address;
}

Result<PtxOperand> PtxReader::readSimple() {
  if (in_.take("!")) {
    TRY(PtxOperand operand, readNamed());
    operand.negated = true;
    return operand;
  }
  TRY(const auto number, in_.number());
  if (!number) return readNamed();
  const bool isInteger = number->kind == PtxNumber::Kind::Integer;
  return PtxOperand{.kind = isInteger ? PtxOperand::Kind::Integer : PtxOperand::Kind::Float,
                    .wide = number->kind == PtxNumber::Kind::Float64,
                    .bits = number->bits};
}

Result<PtxOperand> PtxReader::readNamed() {
  const Place place = in_.place();
  std::string name(in_.name());
  if (name.empty()) return in_.unexpected("an operand");
  if (name == "_") return PtxOperand{.kind = PtxOperand::Kind::Sink};
  if (const uint32_t index = findRegister(name); index != PtxInstruction::kNone)
    return PtxOperand{.kind = PtxOperand::Kind::Register, .index = index};
  if (name[0] == '%') {
    if (in_.peek() == '.') name += "." + std::string(in_.directive());
    if (name.size() > 2 && (name[1] == 'r' || name[1] == 'p' || name[1] == 'f') && name[2] >= '0' &&
        name[2] <= '9')
      return fail("unknown-register", fmt::format("no register {} is declared", name), place);
    return PtxOperand{.kind = PtxOperand::Kind::Special, .name = std::move(name)};
  }
  if (name == "WARP_SZ") return PtxOperand{.kind = PtxOperand::Kind::Integer, .bits = 32};
  PtxOperand operand{.kind = PtxOperand::Kind::Name, .name = std::move(name)};
  if (in_.take("+")) {
    TRY(operand.bits, in_.integer());
  }
  return operand;
}

}  // namespace hilo
