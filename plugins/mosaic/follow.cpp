#include "plugins/mosaic/follow.h"

#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/IR/BuiltinAttributes.h>

#include "plugins/mosaic/dialect.h"

namespace hilo::mosaic {
namespace {

constexpr int64_t kMostSteps = 2'000'000;

namespace scf = mlir::scf;

}  // namespace

bool Follower::run(mlir::Region& region) {
  if (region.empty()) return true;
  if (!region.hasOneBlock()) return stop(region.getParentOp(), "has branches between blocks");
  for (mlir::Operation& op : region.front()) {
    if (!step(&op)) return false;
  }
  return true;
}

bool Follower::step(mlir::Operation* op) {
  if (++steps_ > kMostSteps) return stop(op, "is reached after more steps than are followed");
  if (llvm::isa<scf::ForOp>(op)) return loop(op);
  if (llvm::isa<scf::WhileOp>(op)) return whileLoop(op);
  if (llvm::isa<scf::IfOp, scf::IndexSwitchOp>(op)) return choice(op);
  if (op->getNumRegions() > 0) return skip(op, "has code of its own");
  values_.evaluate(op);
  visit_(op, values_);
  return true;
}

bool Follower::loop(mlir::Operation* op) {
  auto loop = llvm::cast<scf::ForOp>(op);
  const auto from = values_.number(loop.getLowerBound()), to = values_.number(loop.getUpperBound()),
             by = values_.number(loop.getStep());
  if (!from || !to || !by || *by <= 0) return skip(op, "turns as often as is not known");
  for (const auto& [initial, argument] : llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs()))
    values_.copy(initial, argument);
  for (int64_t turn = *from; turn < *to; turn += *by) {
    values_.setNumber(loop.getInductionVar(), turn);
    if (!run(loop.getRegion())) return false;
    yield(*loop.getBody(), loop.getRegionIterArgs());
  }
  for (const auto& [argument, result] : llvm::zip(loop.getRegionIterArgs(), loop.getResults()))
    values_.copy(argument, result);
  return true;
}

bool Follower::whileLoop(mlir::Operation* op) {
  auto loop = llvm::cast<scf::WhileOp>(op);
  for (const auto& [initial, argument] : llvm::zip(loop.getInits(), loop.getBeforeArguments()))
    values_.copy(initial, argument);
  while (true) {
    if (++steps_ > kMostSteps) return stop(op, "turns more often than is followed");
    if (!run(loop.getBefore())) return false;
    scf::ConditionOp condition = loop.getConditionOp();
    const auto goesOn = values_.number(condition.getOperand(0));
    if (!goesOn) return skip(op, "turns as often as is not known");
    const bool ends = *goesOn == 0;
    for (const auto& [n, value] : llvm::enumerate(condition->getOperands().drop_front()))
      values_.copy(value, ends ? mlir::Value(loop.getResult(static_cast<unsigned>(n)))
                               : mlir::Value(loop.getAfterArguments()[n]));
    if (ends) return true;
    if (!run(loop.getAfter())) return false;
    yield(*loop.getAfterBody(), loop.getBeforeArguments());
  }
}

bool Follower::choice(mlir::Operation* op) {
  const auto on = values_.number(op->getOperand(0));
  if (!on) return skip(op, "goes by what is not known");
  size_t chosen = 0;
  if (llvm::isa<scf::IfOp>(op)) {
    chosen = *on != 0 ? 0 : 1;
  } else {
    auto choice = llvm::cast<scf::IndexSwitchOp>(op);
    const auto* found = llvm::find(choice.getCases(), *on);
    chosen =
        found == choice.getCases().end() ? 0 : 1 + static_cast<size_t>(found - choice.getCases().begin());
  }
  if (chosen >= op->getNumRegions() || op->getRegion(static_cast<unsigned>(chosen)).empty()) return true;
  mlir::Region& region = op->getRegion(static_cast<unsigned>(chosen));
  if (!run(region)) return false;
  yield(region.front(), op->getResults());
  return true;
}

// An operation that is not followed: nothing is known of its results, and nothing in it may matter.
bool Follower::skip(mlir::Operation* op, llvm::StringRef why) {
  const auto found = op->walk([&](mlir::Operation* inside) {
    return inside != op && matters_(inside) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  });
  if (found.wasInterrupted()) return stop(op, why);
  for (const mlir::Value result : op->getResults()) values_.setNumber(result, std::nullopt);
  visit_(op, values_);
  return true;
}

bool Follower::stop(mlir::Operation* op, llvm::StringRef why) {
  const auto place = llvm::dyn_cast<mlir::FileLineColLoc>(op->getLoc());
  stopped_ = (op->getName().getStringRef() + (place ? " at line " + std::to_string(place.getLine()) : "") +
              " " + why)
                 .str();
  return false;
}

// All at once: one may take another's place.
void Follower::yield(mlir::Block& from, mlir::ValueRange to) {
  llvm::SmallVector<std::pair<std::optional<int64_t>, KnownPlace>> taken;
  for (const mlir::Value value : from.getTerminator()->getOperands())
    taken.emplace_back(values_.number(value), values_.place(value));
  for (size_t n = 0; n < std::min<size_t>(taken.size(), to.size()); ++n) {
    values_.setNumber(to[n], taken[n].first);
    values_.setPlace(to[n], taken[n].second);
  }
}

}  // namespace hilo::mosaic
