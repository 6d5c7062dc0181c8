#include "core/workspace/watch/search_input.h"

#include "core/workspace/open/verify_file.h"
#include "core/workspace/run/prepared_run.h"

namespace hilo {

Result<SearchInput> settleInput(std::shared_ptr<const Module> module, const ArgumentSource& arguments,
                                const std::optional<WorkerOptions>& worker, const JobContext& context) {
  TRY_STATUS(requireVerified(*module));
  auto settled = settleModule({.module = module, .arguments = arguments, .worker = worker}, context);
  if (!settled) {
    if (settled.error().kind != "not-runnable") return std::unexpected(settled.error());
    return SearchInput{std::move(module), {}};
  }
  if (settled->arguments.size() > 1)
    return fail("several-arguments", "each device has arguments of its own, and all must take the same here",
                {}, {"name one list: --args FILE, --seed N"});
  return SearchInput{std::move(settled->module), std::move(settled->arguments[0])};
}

}  // namespace hilo
