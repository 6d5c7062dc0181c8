#include "core/workspace/run/run_results.h"

#include <absl/strings/numbers.h>
#include <fmt/format.h>

#include "core/hlo/ir/result_names.h"
#include "core/hlo/text/print.h"
#include "core/runtime/program/program.h"

namespace hilo {
namespace {

Literal elementOf(const Literal& output, size_t result) {
  return output.isTuple() ? output.elements()[result] : output;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> resultsOf(const RunRequest& request) {
  const bool isModule = request.program == nullptr;
  if (isModule && (request.module == nullptr || request.module->entry() == nullptr)) return {};
  const Shape whole = isModule ? request.module->entry()->root()->shape() : request.program->result;
  const std::vector<std::string> names =
      isModule ? resultNames(*request.module) : request.program->resultNames;
  std::vector<std::pair<std::string, std::string>> results;
  const auto shapes = whole.tupleShapes();
  for (size_t i = 0; i < names.size(); ++i)
    results.emplace_back(names[i], toString(whole.isTuple() ? shapes[i] : whole));
  if (isModule ? hasOutfeed(*request.module) : request.program->givesOutfeed)
    results.emplace_back(kOutfeedName, "a tuple of what outfeeds gave");
  return results;
}

Result<size_t> resultCalled(const RunRequest& request, const std::string& name) {
  const auto results = resultsOf(request);
  const auto found = std::ranges::find(results, name, &std::pair<std::string, std::string>::first);
  if (found != results.end()) return static_cast<size_t>(found - results.begin());
  size_t number = 0;
  if (absl::SimpleAtoi(name, &number) && number < results.size()) return number;
  std::vector<std::string> names;
  for (const auto& [known, shape] : results) names.push_back(fmt::format("{} ({})", known, shape));
  return fail("wrong-result", fmt::format("no result is called {}", name), {},
              {names.empty() ? "there are none" : fmt::format("there are: {}", fmt::join(names, ", "))});
}

Literal resultOf(const Literal& output, int64_t devices, size_t result) {
  if (devices == 1) return elementOf(output, result);
  std::vector<Literal> each;
  for (const Literal& own : output.elements()) each.push_back(elementOf(own, result));
  return Literal::tuple(std::move(each));
}

std::string valueText(const Literal& value) {
  std::string text;
  appendShapedLiteral(text, value);
  return text;
}

}  // namespace hilo
