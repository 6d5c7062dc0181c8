#include "core/analysis/taken_branch.h"

namespace hilo {

TakenBranch takenBranch(const Instruction& choice, const Literal& selector) {
  const auto branches = choice.calledComputations();
  size_t taken = 0;
  if (selector.shape().elementType() == ElementType::Pred) {
    taken = selector.bytes()[0] != std::byte{0} ? 0 : 1;
  } else {
    const int32_t number = selector.data<int32_t>()[0];
    const auto count = static_cast<int32_t>(branches.size());
    taken = static_cast<size_t>(number < 0 || number >= count ? count - 1 : number);
  }
  return {branches[taken], taken};
}

}  // namespace hilo
