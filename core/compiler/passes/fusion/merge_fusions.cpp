#include "core/compiler/passes/fusion/merge_fusions.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <ranges>

#include "core/compiler/passes/fusion/make_fusion.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

// The values that others read of a kernel: itself, or the elements of its tuple.
std::vector<Instruction*> elementsOf(Instruction& kernel) {
  if (!kernel.shape().isTuple()) return {&kernel};
  std::vector<Instruction*> elements;
  for (Instruction* user : kernel.users()) elements.push_back(user);
  return elements;
}

size_t indexOf(const Instruction& element, const Instruction& kernel) {
  return &element == &kernel ? 0 : static_cast<size_t>(element.tupleIndex());
}

class Merged {
 public:
  explicit Merged(Computation& body) : body_(body) {}

  void add(Instruction& kernel) {
    const size_t first = results_.size();
    if (kernel.opcode() == Opcode::Fusion) {
      addBody(kernel);
    } else {
      std::vector<Instruction*> operands;
      for (Instruction* operand : kernel.operands()) operands.push_back(of(operand));
      results_.push_back(body_.createLike(kernel, operands));
    }
    for (Instruction* element : elementsOf(kernel)) {
      const size_t index = first + indexOf(*element, kernel);
      inner_[element] = results_[index];
      replaced_.emplace_back(element, index);
    }
  }

  const std::vector<Instruction*>& operands() const { return operands_; }
  const std::vector<Instruction*>& results() const { return results_; }
  // Values outside, each with the result that takes its place.
  const std::vector<std::pair<Instruction*, size_t>>& replaced() const { return replaced_; }

 private:
  void addBody(Instruction& fusion) {
    absl::flat_hash_map<const Instruction*, Instruction*> copies;
    const Computation& fused = *fusion.get<Attr::Calls>();
    for (Instruction* i : fused.instructions()) {
      if (i->opcode() == Opcode::Parameter) {
        copies[i] = of(fusion.operand(static_cast<size_t>(i->parameterNumber())));
        continue;
      }
      if (i == fused.root() && i->opcode() == Opcode::Tuple) continue;
      std::vector<Instruction*> operands;
      for (Instruction* operand : i->operands()) operands.push_back(copies.at(operand));
      copies[i] = body_.createLike(*i, operands);
    }
    if (fused.root()->opcode() != Opcode::Tuple) return results_.push_back(copies.at(fused.root()));
    for (Instruction* operand : fused.root()->operands()) results_.push_back(copies.at(operand));
  }

  Instruction* of(Instruction* outer) {
    const auto [found, isNew] = inner_.try_emplace(outer, nullptr);
    if (isNew) {
      operands_.push_back(outer);
      found->second = body_.createParameter(static_cast<int64_t>(operands_.size() - 1), outer->shape());
    }
    return found->second;
  }

  Computation& body_;
  std::vector<Instruction*> operands_, results_;
  std::vector<std::pair<Instruction*, size_t>> replaced_;
  absl::flat_hash_map<const Instruction*, Instruction*> inner_;
};

void removeKernel(Instruction& kernel) {
  for (Instruction* element : elementsOf(kernel)) {
    if (element != &kernel) kernel.parent().remove(element);
  }
  kernel.parent().remove(&kernel);
}

Shape lineOf(Shape shape) {
  const std::vector<int64_t> size = {shape.elementCount()};
  return Shape::array(shape.elementType(), size).withDefaultLayout();
}

// The values of each result, over all kernels, one behind the other; then each by itself.
std::vector<Instruction*> slicesOf(const std::vector<Instruction*>& results, size_t kernels) {
  const size_t each = results.size() / kernels;
  std::vector<Instruction*> slices(results.size());
  for (size_t i = 0; i < each; ++i) {
    Computation& body = results[i]->parent();
    std::vector<Instruction*> lines;
    int64_t total = 0;
    for (size_t k = 0; k < kernels; ++k) {
      Instruction* result = results[k * each + i];
      if (result->shape().rank() != 1)
        result = body.create(liesRowMajor(result->shape()) ? Opcode::Reshape : Opcode::Bitcast,
                             lineOf(result->shape()), {result});
      lines.push_back(result);
      total += result->shape().elementCount();
    }
    const std::vector<int64_t> size = {total};
    Instruction* whole = body.create(
        Opcode::Concatenate, Shape::array(lines[0]->shape().elementType(), size).withDefaultLayout(), lines);
    whole->set<Attr::Dimensions>(std::vector<int64_t>{0});
    int64_t start = 0;
    for (size_t k = 0; k < kernels; ++k) {
      const int64_t end = start + lines[k]->shape().elementCount();
      Instruction* slice = body.create(Opcode::Slice, lineOf(lines[k]->shape()), {whole});
      slice->set<Attr::Slice>(std::vector<SliceRange>{{start, end, 1}});
      slices[k * each + i] = slice;
      start = end;
    }
  }
  return slices;
}

Instruction* fusionOf(const Merged& merged, Computation& body, const std::vector<Instruction*>& results,
                      Instruction& before) {
  Computation& outer = before.parent();
  std::vector<Shape> shapes;
  for (const Instruction* result : results) shapes.push_back(result->shape());
  body.setRoot(body.create(Opcode::Tuple, Shape::tuple(shapes), results));
  Instruction* fusion = outer.create(Opcode::Fusion, Shape::tuple(shapes), merged.operands(),
                                     outer.module().uniqueName("fusion"), &before);
  fusion->set<Attr::FusionKindKind>(fusionKindOf(body));
  fusion->set<Attr::Calls>(&body);
  if (const OpMetadata* metadata = before.get<Attr::Metadata>()) fusion->set<Attr::Metadata>(metadata);
  return fusion;
}

Instruction* mergeAs(std::span<Instruction* const> kernels, bool slices) {
  Instruction& last = *kernels.back();
  Computation& outer = last.parent();
  Computation* body =
      outer.module().createComputation(outer.module().uniqueName("fused_computation"), &outer);
  Merged merged(*body);
  for (Instruction* kernel : kernels) merged.add(*kernel);
  Instruction* fusion =
      fusionOf(merged, *body, slices ? slicesOf(merged.results(), kernels.size()) : merged.results(), last);
  if (slices) fusion->set<Attr::FusionKindKind>(FusionKind::Input);
  for (const auto& [value, index] : merged.replaced()) {
    Instruction* element =
        outer.create(Opcode::GetTupleElement, fusion->shape().tupleShapes()[index], {fusion}, {}, &last);
    element->set<Attr::Index>(static_cast<int64_t>(index));
    outer.replaceAllUses(value, bitcastTo(element, value->shape(), last));
  }
  for (Instruction* kernel : kernels | std::views::reverse) removeKernel(*kernel);
  return fusion;
}

}  // namespace

bool mayBeMerged(const Instruction& kernel) {
  if (kernel.shape().isArray()) return true;
  return !kernel.isRoot() && std::ranges::all_of(kernel.users(), [](const Instruction* user) {
    return user->opcode() == Opcode::GetTupleElement;
  });
}

Instruction* mergeFusions(std::span<Instruction* const> kernels) { return mergeAs(kernels, false); }
Instruction* mergeAsSlices(std::span<Instruction* const> kernels) { return mergeAs(kernels, true); }

void orderByOperands(Computation& computation) {
  std::vector<Instruction*> order, stack;
  absl::flat_hash_set<const Instruction*> done;
  for (Instruction* start : computation.instructions()) {
    stack.push_back(start);
    while (!stack.empty()) {
      Instruction* top = stack.back();
      const size_t before = stack.size();
      if (!done.contains(top)) {
        for (Instruction* operand : top->operands()) {
          if (!done.contains(operand)) stack.push_back(operand);
        }
        for (Instruction* earlier : top->get<Attr::ControlPredecessors>()) {
          if (!done.contains(earlier)) stack.push_back(earlier);
        }
      }
      if (stack.size() != before) continue;
      stack.pop_back();
      if (done.insert(top).second) order.push_back(top);
    }
  }
  computation.reorder(order);
}

}  // namespace hilo
