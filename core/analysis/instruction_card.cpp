#include "core/analysis/instruction_card.h"

#include "core/analysis/cost_facts.h"
#include "core/analysis/while_loop.h"
#include "core/hlo/text/print.h"

namespace hilo {
namespace {

constexpr size_t kMaxValueBytes = 300;

std::string cut(std::string value) {
  if (value.size() <= kMaxValueBytes) return value;
  size_t end = kMaxValueBytes;
  while (end > 0 && (static_cast<unsigned char>(value[end]) & 0xc0) == 0x80) --end;  // not within a character
  value.resize(end);
  return value + "…";
}

std::string bytesText(int64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {} ({} B)", value, kUnits[unit], bytes);
}

}  // namespace

std::string sourcePlace(const Instruction& instruction) {
  const OpMetadata* metadata = instruction.get<Attr::Metadata>();
  if (metadata == nullptr) return {};
  if (!metadata->sourceFile.empty()) return fmt::format("{}:{}", metadata->sourceFile, metadata->sourceLine);
  const auto frames = sourceStack(instruction.module().stackFrames(), metadata->stackFrameId);
  return frames.empty() ? std::string() : fmt::format("{}:{}", frames[0].file, frames[0].line);
}

InstructionCard instructionCard(const Instruction& instruction) {
  InstructionCard card;
  card.title = instruction.name();
  card.opcode = instruction.opcodeText();
  auto add = [&](std::string label, std::string value) {
    if (!value.empty()) card.facts.emplace_back(std::move(label), cut(std::move(value)));
  };
  add("shape", toString(instruction.shape()));
  if (const int64_t bytes = instruction.shape().byteSize(); bytes > 0) add("size", bytesText(bytes));
  for (const Attribute& attribute : instruction.attributes()) {
    switch (attribute.key) {
      case Attr::Metadata:
      case Attr::BackendConfig:
      case Attr::Origin:
      case Attr::UniqueId:
      case Attr::UnknownFields:
      case Attr::FrontendAttributes:
      case Attr::OpaqueOpcode:
        continue;
      default:
        break;
    }
    std::string value;
    appendAttributeValue(value, attribute);
    add(std::string(attrName(attribute.key)), std::move(value));
  }
  if (instruction.opcode() == Opcode::While) {
    if (const int64_t trips = tripCount(instruction).value_or(-1); trips >= 0)
      add("trip count", std::to_string(trips));
  }
  add("source", sourcePlace(instruction));
  add("op_name", std::string(instruction.opName()));
  return card;
}

}  // namespace hilo
