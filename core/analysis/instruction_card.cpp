#include "core/analysis/instruction_card.h"

#include "core/analysis/cost_facts.h"
#include "core/analysis/while_loop.h"
#include "core/base/amount_text.h"
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

std::string sizeText(int64_t bytes) {
  return bytes < 1024 ? amount::bytes(bytes)
                      : fmt::format("{} ({} B)", amount::bytes(bytes), amount::count(bytes));
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
  if (const int64_t bytes = instruction.shape().byteSize(); bytes > 0) add("size", sizeText(bytes));
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
