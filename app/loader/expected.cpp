#include "app/loader/expected.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/hlo/eval/npy.h"

namespace hilo {

Result<Agreement> compareWithFile(const Program& program, const Literal& output, const std::string& path,
                                  std::optional<double> relative) {
  std::vector<NamedShape> names;
  const bool isTuple = program.result.isTuple();
  for (const Shape leaf : arrayLeaves(program.result))
    names.push_back({fmt::format("out{}", names.size()), leaf});
  if (isTuple && names.size() != program.result.tupleShapes().size())
    return fail("nested-result",
                fmt::format("{} gives tuples in a tuple, which no file holds", program.name));
  TRY(auto arrays, loadArguments(path, names));
  const Literal expected = isTuple ? Literal::tuple(std::move(arrays)) : std::move(arrays[0]);
  CompareTolerance tolerance;
  if (relative) tolerance = {.absolute = *relative, .relative = *relative};
  TRY(const auto differences, compareLiterals(output, expected, tolerance));
  Agreement found{.agrees = agrees(differences), .firstMismatch = {}};
  for (size_t i = 0; i < differences.size(); ++i) {
    found.maxRelError = std::max(found.maxRelError, differences[i].maxRelError);
    if (found.firstMismatch.empty() && differences[i].mismatches > 0)
      found.firstMismatch = fmt::format("{} {}", names[i].name, differences[i].firstMismatchText);
  }
  return found;
}

}  // namespace hilo
