#include "core/compiler/passes/memory/memory_placement.h"

#include "core/compiler/passes/rewrite_each.h"

namespace hilo {
namespace {

// "" where the place is none that XLA knows.
std::string_view callFor(std::string_view place) {
  if (place == "pinned_host" || place == "unpinned_host") return "MoveToHost";
  if (place == "device") return "MoveToDevice";
  if (place == "pinned_device") return "PinToDevice";
  return place == "vmem" ? "PinToDeviceSram" : "";
}

std::string_view placeOf(const Instruction& i) {
  for (const FrontendAttribute& attribute : i.get<Attr::FrontendAttributes>()) {
    if (attribute.name == "_xla_buffer_placement") return attribute.value;
  }
  return "";
}

bool saysPlace(const Instruction& i) {
  return i.opcode() == Opcode::CustomCall && i.get<Attr::CustomCallTarget>() == "annotate_device_placement" &&
         i.operandCount() == 1 && !callFor(placeOf(i)).empty();
}

Instruction* asCall(Instruction& i) {
  Instruction* made = i.parent().create(Opcode::CustomCall, i.operand(0)->shape(), {i.operand(0)}, {}, &i);
  made->set<Attr::CustomCallTarget>(callFor(placeOf(i)));
  if (const Attribute* sharding = i.find(Attr::Sharding))
    made->attributeList().append(i.module().arena(), *sharding);
  return made;
}

}  // namespace

Result<bool> convertMemoryPlacement(Module& module, PassContext& context) {
  return rewriteEach(module, context, "converted", saysPlace, asCall);
}

}  // namespace hilo
