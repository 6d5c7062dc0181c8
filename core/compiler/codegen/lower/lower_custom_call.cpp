// Custom calls that plug-ins give their meaning: a thunk with typed buffers and attributes. Those to
// libraries were expanded.
#include "core/base/check.h"
#include "core/compiler/codegen/lower/backend_attributes.h"
#include "core/compiler/codegen/lower/lowerings.h"
#include "core/hlo/expand/library_calls.h"

namespace hilo {
namespace {

CustomCallArray arrayOf(Shape shape) {
  CustomCallArray array{.type = shape.elementType(),
                        .dimensions = {shape.dimensions().begin(), shape.dimensions().end()}};
  const auto order = majorToMinor(shape);
  array.minorToMajor.assign(order.rbegin(), order.rend());
  return array;
}

}  // namespace

// Calls to libraries are expanded before anything is compiled; what others do only a plug-in knows.
std::optional<Diagnostic> customCallObstacle(const Instruction& instruction, const HasHandler& hasHandler) {
  const std::string_view target = instruction.get<Attr::CustomCallTarget>();
  const bool isOfPlugin = !isLibraryCall(target) && hasHandler && hasHandler(target);
  if (!isOfPlugin) return expansionRefusal(instruction);
  if (instruction.get<Attr::ApiVersion>() != CustomCallApiVersion::TypedFfi) return std::nullopt;
  const auto attributes = parseBackendAttributes(instruction.get<Attr::BackendConfig>());
  if (attributes) return std::nullopt;
  return obstacle(instruction, attributes.error().kind, attributes.error().message);
}

Status lowerCustomCall(const Instruction& instruction, LoweringContext& context) {
  CustomCallThunk thunk{.target = std::string(instruction.get<Attr::CustomCallTarget>()),
                        .backendConfig = std::string(instruction.get<Attr::BackendConfig>()),
                        .hasSideEffect = instruction.get<Attr::CustomCallHasSideEffect>().value_or(false)};
  if (instruction.get<Attr::ApiVersion>() == CustomCallApiVersion::TypedFfi) {
    TRY(thunk.attributes, parseBackendAttributes(thunk.backendConfig));
  }
  for (const Instruction* operand : instruction.operands()) {
    const auto shapes = arrayLeaves(operand->shape());
    const LeafValues& leaves = context.valuesOf(*operand);
    for (size_t i = 0; i < shapes.size(); ++i) {
      thunk.operandArrays.push_back(arrayOf(shapes[i]));
      thunk.operands.emplace_back(leaves[i].slab->slice);
    }
  }
  const LeafValues results = context.newLeaves(instruction.shape());
  for (const Shape leaf : arrayLeaves(instruction.shape())) thunk.resultArrays.push_back(arrayOf(leaf));
  for (const LeafValue& result : results) thunk.results.emplace_back(result.slab->slice);
  context.addThunk(instruction, std::move(thunk), 100'000);
  context.values[&instruction] = results;
  return {};
}

}  // namespace hilo
