#include "core/hlo/ir/result_names.h"

#include <fmt/format.h>

namespace hilo {

std::vector<std::string> resultNames(const Module& module) {
  const Instruction* root = module.entry() == nullptr ? nullptr : module.entry()->root();
  if (root == nullptr) return {};
  std::vector<std::string> names;
  if (root->opcode() == Opcode::Tuple) {
    for (const Instruction* operand : root->operands()) names.emplace_back(operand->name());
  } else if (root->shape().isTuple()) {
    for (size_t i = 0; i < root->shape().tupleShapes().size(); ++i)
      names.push_back(fmt::format("{}{{{}}}", root->name(), i));
  } else {
    names.emplace_back(root->name());
  }
  return names;
}

}  // namespace hilo
