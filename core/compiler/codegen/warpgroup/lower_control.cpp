// Loops and branches. What they carry are registers and scalars, element by element.
#include <fmt/format.h>

#include "core/compiler/codegen/warpgroup/kernel_lowering.h"

namespace hilo::warpgroup {

using llvm::Value;

namespace {

// A place for each element of an array.
class Carried {
 public:
  Carried(KernelLowering& lowering, ElementType type, RegisterMap map)
      : lowering_(lowering), type_(type), map_(std::move(map)) {
    for (size_t i = 0; i < elementsOf(map_); ++i)
      places_.push_back(lowering.code().variable(lowering.scalars().valueType(type)));
  }

  RegisterArray get() const {
    RegisterArray array{type_, map_, {}};
    for (Value* place : places_)
      array.elements.push_back({lowering_.b().CreateLoad(lowering_.scalars().valueType(type_), place)});
    return array;
  }

  // Laid out as this is.
  Status set(const KernelOp& op, RegisterArray array) {
    TRY(array, lowering_.laidOut(op, std::move(array), map_.layout()));
    for (size_t i = 0; i < places_.size(); ++i)
      lowering_.b().CreateStore(array.elements[i].value, places_[i]);
    return {};
  }

 private:
  KernelLowering& lowering_;
  ElementType type_;
  RegisterMap map_;
  std::vector<Value*> places_;
};

// One for each result of the operation.
Result<std::vector<Carried>> carriedBy(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  std::vector<Carried> all;
  for (size_t i = 0; i < one.results.size(); ++i) {
    if (lowering.kernel().type(one.results[i]).kind == KernelType::Kind::Memory)
      return refuse(one, "memory that it carries");
    TRY(const ElementType type, lowering.elementOf(one, one.results[i]));
    TRY(RegisterMap map, lowering.resultMap(op, i));
    all.emplace_back(lowering, type, std::move(map));
  }
  return all;
}

void giveAll(KernelLowering& lowering, std::span<const ValueId> values, const std::vector<Carried>& carried) {
  for (size_t i = 0; i < carried.size(); ++i) lowering.give(values[i], carried[i].get());
}

// Operands of the operation from `first` on, to where they are carried.
Status setAll(KernelLowering& lowering, OpId op, size_t first, std::vector<Carried>& carried) {
  TRY_STATUS(needs(lowering.op(op), first + carried.size(), 0));
  std::vector<RegisterArray> arrays;
  for (size_t i = 0; i < carried.size(); ++i) {
    TRY(RegisterArray array, lowering.array(op, first + i));
    arrays.push_back(std::move(array));
  }
  for (size_t i = 0; i < carried.size(); ++i)
    TRY_STATUS(carried[i].set(lowering.op(op), std::move(arrays[i])));
  return {};
}

// The region, and what it yields to where it is carried.
Status lowerYielding(KernelLowering& lowering, const KernelOp& op, size_t region,
                     std::vector<Carried>& carried) {
  if (region >= op.regions.size() || op.regions[region].ops.empty()) {
    if (carried.empty()) return {};
    return refuse(op, "a region that yields nothing");
  }
  TRY_STATUS(lowering.lower(op.regions[region]));
  const OpId end = op.regions[region].ops.back();
  if (carried.empty()) return {};
  if (lowering.op(end).opcode != "scf.yield") return refuse(op, "its region does not end with scf.yield");
  return setAll(lowering, end, 0, carried);
}

Status checkArguments(const KernelOp& op, size_t region, size_t count) {
  if (region < op.regions.size() && op.regions[region].arguments.size() >= count) return {};
  return refuse(op, fmt::format("its region {} has fewer than {} arguments", region, count));
}

}  // namespace

Status lowerFor(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  TRY_STATUS(needs(one, 3 + one.results.size(), 0));
  TRY_STATUS(checkArguments(one, 0, 1 + one.results.size()));
  TRY(Value* const from, lowering.scalar(op, 0));
  TRY(Value* const to, lowering.scalar(op, 1));
  TRY(Value* const step, lowering.scalar(op, 2));
  TRY(auto carried, carriedBy(lowering, op));
  TRY_STATUS(setAll(lowering, op, 3, carried));
  llvm::IRBuilder<>& b = lowering.b();
  Value* place = lowering.code().variable(from->getType());
  b.CreateStore(from, place);
  const auto& arguments = one.regions[0].arguments;
  Status status;
  lowering.code().loop([&] { return b.CreateICmpSLT(b.CreateLoad(from->getType(), place), to); },
                       [&] {
                         Value* number = b.CreateLoad(from->getType(), place);
                         status = lowering.giveScalar(arguments[0], number);
                         giveAll(lowering, std::span(arguments).subspan(1), carried);
                         if (status) status = lowerYielding(lowering, one, 0, carried);
                         b.CreateStore(b.CreateAdd(number, step), place);
                       });
  giveAll(lowering, one.results, carried);
  return status;
}

Status lowerIf(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  TRY_STATUS(needs(one, 1, 0));
  TRY(Value* const condition, lowering.scalar(op, 0));
  TRY(auto carried, carriedBy(lowering, op));
  Status status;
  const auto side = [&](size_t region) {
    return [&, region] {
      if (status) status = lowerYielding(lowering, one, region, carried);
    };
  };
  lowering.code().branch(condition, side(0), side(1));
  giveAll(lowering, one.results, carried);
  return status;
}

// The first region is of all other numbers, as MLIR has it.
Status lowerSwitch(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  TRY_STATUS(needs(one, 1, 0));
  TRY(const Sizes cases, listOf(one, "cases"));
  if (one.regions.size() != cases.size() + 1)
    return refuse(one, "it has a region for each case, and one more");
  TRY(Value* const number, lowering.scalar(op, 0));
  TRY(auto carried, carriedBy(lowering, op));
  Status status;
  const std::function<void(size_t)> from = [&](size_t i) {
    if (i == cases.size()) {
      if (status) status = lowerYielding(lowering, one, 0, carried);
      return;
    }
    Value* isCase = lowering.b().CreateICmpEQ(
        number, llvm::ConstantInt::get(number->getType(), static_cast<uint64_t>(cases[i])));
    lowering.code().branch(
        isCase,
        [&] {
          if (status) status = lowerYielding(lowering, one, i + 1, carried);
        },
        [&] { from(i + 1); });
  };
  from(0);
  giveAll(lowering, one.results, carried);
  return status;
}

// The first region asks whether it goes on, and hands its results to the second.
Status lowerWhile(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  TRY_STATUS(checkArguments(one, 0, one.operands.size()));
  TRY_STATUS(checkArguments(one, 1, one.results.size()));
  TRY(auto results, carriedBy(lowering, op));
  std::vector<Carried> operands;
  for (size_t i = 0; i < one.operands.size(); ++i) {
    TRY(RegisterArray array, lowering.array(op, i));
    operands.emplace_back(lowering, array.type, array.map);
    TRY_STATUS(operands.back().set(one, std::move(array)));
  }
  if (one.regions[0].ops.empty()) return refuse(one, "its first region is empty");
  const OpId end = one.regions[0].ops.back();
  if (lowering.op(end).opcode != "scf.condition") return refuse(one, "it does not end with scf.condition");
  Status status;
  const auto goesOn = [&]() -> Value* {
    giveAll(lowering, one.regions[0].arguments, operands);
    status = lowering.lower(one.regions[0]);
    if (status) status = setAll(lowering, end, 1, results);
    const auto condition = status ? lowering.scalar(end, 0) : std::unexpected(status.error());
    if (!condition && status) status = std::unexpected(condition.error());
    return condition ? *condition : lowering.b().getFalse();
  };
  lowering.code().loop(goesOn, [&] {
    giveAll(lowering, one.regions[1].arguments, results);
    if (status) status = lowerYielding(lowering, one, 1, operands);
  });
  giveAll(lowering, one.results, results);
  return status;
}

}  // namespace hilo::warpgroup
