#include "core/workspace/document/remarks_json.h"

#include <nlohmann/json.hpp>

namespace hilo {

std::string remarksToJson(const std::vector<StepRemark>& remarks) {
  nlohmann::json list = nlohmann::json::array();
  for (const StepRemark& remark : remarks)
    list.push_back({remark.instructionName, remark.kind, remark.message});
  // Bytes that are no UTF-8 are replaced: a name from a dump may hold any.
  return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<StepRemark> remarksFromJson(std::string_view json, const Module* module) {
  const auto list = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  std::vector<StepRemark> remarks;
  if (!list.is_array()) return remarks;
  for (const auto& item : list) {
    const auto isText = [](const auto& part) { return part.is_string(); };
    if (!item.is_array() || item.size() != 3 || !std::ranges::all_of(item, isText)) continue;
    StepRemark remark{.instructionName = item[0], .kind = item[1], .message = item[2]};
    const Instruction* named = module == nullptr ? nullptr : module->findInstruction(remark.instructionName);
    if (named != nullptr) remark.instruction = named->id();
    remarks.push_back(std::move(remark));
  }
  return remarks;
}

}  // namespace hilo
