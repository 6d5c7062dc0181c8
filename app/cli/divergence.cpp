#include "app/cli/divergence.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/report.h"

namespace hilo::cli {
namespace {

// "while.3 (turn 17) > fusion.2 > add.1"
std::string pathText(const std::vector<std::string>& path) {
  return fmt::format("{}", fmt::join(path, " > "));
}

void printList(const char* title, const std::vector<std::string>& lines) {
  for (size_t i = 0; i < lines.size(); ++i) fmt::print("{:9}{}\n", i == 0 ? title : "", lines[i]);
}

nlohmann::json stepJson(const StepComparison& step) {
  return {{"instruction", step.instruction},
          {"name", step.name},
          {"opcode", step.opcode},
          {"agrees", step.agrees},
          {"device", step.device},
          {"path", step.worst.path},
          {"shape", step.worst.shape},
          {"elements", step.worst.elements},
          {"mismatches", step.worst.mismatches},
          {"max_abs", step.worst.maxAbsError},
          {"max_rel", step.worst.maxRelError},
          {"max_ulp", step.worst.maxUlpError},
          {"first_mismatch", step.worst.firstMismatch}};
}

}  // namespace

void printDivergence(const Divergence& divergence, const DivergenceRequest& request) {
  if (!divergence.found) {
    if (divergence.steps.empty()) {
      fmt::print("{} computes nothing that could differ\n", request.truth.module->name());
    } else {
      fmt::print("{} agrees with {} on every one of {} instructions\n", request.engine, request.truth.engine,
                 divergence.steps.size());
    }
    for (const std::string& note : divergence.notes) fmt::print("note: {}\n", note);
    return;
  }
  const StepComparison& step = divergence.step;
  fmt::print("{} diverges from {} at\n\n", request.engine, request.truth.engine);
  fmt::print("at       {}\n", pathText(divergence.path));
  fmt::print("opcode   {} {}{}\n", step.opcode, step.worst.shape,
             divergence.onTrueOperands ? "" : ", computed from the arguments on");
  fmt::print("differ   {} of {} elements{}, max abs {:.3g}, rel {:.3g}, {:.3g} ulp\n",
             grouped(step.worst.mismatches), grouped(step.worst.elements),
             request.truth.devices > 1 ? fmt::format(" on device {}", step.device) : "",
             step.worst.maxAbsError, step.worst.maxRelError, step.worst.maxUlpError);
  fmt::print("first    {}, {} and {}\n", step.worst.firstMismatch, request.engine, request.truth.engine);
  printList("operands", divergence.operands);
  for (const std::string& note : divergence.notes) fmt::print("note: {}\n", note);
}

nlohmann::json divergenceJson(const Divergence& divergence) {
  nlohmann::json steps = nlohmann::json::array();
  for (const StepComparison& step : divergence.steps) steps.push_back(stepJson(step));
  nlohmann::json json = {{"found", divergence.found}, {"steps", steps}, {"notes", divergence.notes}};
  if (!divergence.found) return json;
  json["path"] = divergence.path;
  json["at"] = stepJson(divergence.step);
  json["on_true_operands"] = divergence.onTrueOperands;
  json["operands"] = divergence.operands;
  return json;
}

void printValues(const std::vector<InstructionValue>& values) {
  using enum Table::Align;
  const bool several = !values.empty() && values[0].devices.size() > 1;
  Table table({Left, Left, Left, Right, Right, Right, Right, Right});
  table.add({"instruction", "opcode", "shape", several ? "device" : "", "min", "max", "nan", "inf"});
  for (const InstructionValue& value : values) {
    for (size_t d = 0; d < value.devices.size(); ++d) {
      const ValueSummary& s = value.devices[d];
      table.add({value.name, value.opcode, shortened(value.shape), several ? fmt::format("{}", d) : "",
                 fmt::format("{:.6g}", s.least), fmt::format("{:.6g}", s.most), grouped(s.nan),
                 grouped(s.inf)});
    }
  }
  fmt::print("{}", table.text());
}

nlohmann::json valuesJson(const std::vector<InstructionValue>& values) {
  nlohmann::json list = nlohmann::json::array();
  for (const InstructionValue& value : values) {
    nlohmann::json devices = nlohmann::json::array();
    for (const ValueSummary& s : value.devices) {
      devices.push_back({{"elements", s.elements},
                         {"min", s.least},
                         {"max", s.most},
                         {"nan", s.nan},
                         {"inf", s.inf},
                         {"first_nonfinite", s.firstNonfinite}});
    }
    list.push_back({{"instruction", value.instruction},
                    {"name", value.name},
                    {"opcode", value.opcode},
                    {"shape", value.shape},
                    {"devices", devices}});
  }
  return list;
}

void printOrigin(const NonfiniteOrigin& origin) {
  if (origin.found) {
    fmt::print("at       {}\n", pathText(origin.path));
    fmt::print("opcode   {} {}\n", origin.opcode, origin.shape);
    fmt::print("makes    {} NaN and {} Inf among {} elements, the first {}\n", grouped(origin.nan),
               grouped(origin.inf), grouped(origin.elements), origin.first);
    printList("operands", origin.operands);
  } else {
    fmt::print("no instruction makes a NaN or an infinity of finite operands\n");
  }
  for (const std::string& note : origin.notes) fmt::print("note: {}\n", note);
}

nlohmann::json originJson(const NonfiniteOrigin& origin) {
  nlohmann::json json = {{"found", origin.found}, {"notes", origin.notes}};
  if (!origin.found) return json;
  json.update({{"path", origin.path},
               {"instruction", origin.instruction},
               {"opcode", origin.opcode},
               {"shape", origin.shape},
               {"device", origin.device},
               {"nan", origin.nan},
               {"inf", origin.inf},
               {"elements", origin.elements},
               {"first", origin.first},
               {"operands", origin.operands}});
  return json;
}

}  // namespace hilo::cli
