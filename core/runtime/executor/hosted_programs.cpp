#include "core/runtime/executor/hosted_programs.h"

#include "core/runtime/program/program_file.h"

namespace hilo {

Result<HostedPrograms> HostedPrograms::make(const Program& program, const FindCustomCall& findCustomCall) {
  HostedPrograms made;
  for (const HostedProgram& hosted : program.hosted) {
    TRY(Program inner, deserialize(hosted.file));
    if (!inner.hosted.empty() || !argumentSizePlaces(inner.parameters).empty() || !inner.resultSizes.empty())
      return fail("malformed-program", "a program within another holds programs or sizes itself");
    TRY(auto executor, Executor::make(std::make_shared<const Program>(std::move(inner)), findCustomCall));
    made.executors_.push_back(std::move(executor));
  }
  for (const ThunkSequence& sequence : program.sequences) {
    for (const Thunk& thunk : sequence) {
      if (!made.fits(thunk))
        return fail("malformed-program", thunk.name + " does not fit the program it runs");
    }
  }
  return made;
}

// Every call brings the arrays its program takes.
bool HostedPrograms::fits(const Thunk& thunk) const {
  const auto all = [&](uint32_t number, const auto& operands, const auto& results) {
    const Program& inner = executors_[number]->program();
    std::vector<Shape> leaves;
    for (const Shape parameter : inner.parameters)
      std::ranges::move(arrayLeaves(parameter), std::back_inserter(leaves));
    const auto fit = [](const auto& slices, const std::vector<Shape>& shapes) {
      return std::ranges::equal(slices, shapes, [](const BufferSlice& slice, Shape shape) {
        return slice.sizeBytes == bufferBytes(shape);
      });
    };
    return fit(operands, leaves) && fit(results, arrayLeaves(inner.result));
  };
  if (const auto* call = std::get_if<HostedThunk>(&thunk.body))
    return all(call->program, call->operands, call->results);
  if (const auto* asked = std::get_if<LibraryThunk>(&thunk.body))
    return all(asked->substitute, asked->operands, asked->results);
  return true;
}

namespace {

// Literals are row-major, whatever the layout of a buffer.
std::vector<std::byte> rowMajorOf(const std::byte* buffer, Shape shape) {
  std::vector<std::byte> bytes(static_cast<size_t>(bufferBytes(shape)));
  if (!bytes.empty()) copyFromBuffer(bytes.data(), buffer, shape);
  return bytes;
}

}  // namespace

Status HostedPrograms::run(uint32_t program, std::vector<const std::byte*> operands,
                           std::vector<std::byte*> results, const ExecuteOptions& options) const {
  const Program& inner = executors_[program]->program();
  std::vector<Shape> parameters;
  for (const Shape parameter : inner.parameters)
    std::ranges::move(arrayLeaves(parameter), std::back_inserter(parameters));
  const std::vector<Shape> leaves = arrayLeaves(inner.result);
  std::vector<std::vector<std::byte>> taken(operands.size()), given(results.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    if (isRowMajor(parameters[i])) continue;
    taken[i] = rowMajorOf(operands[i], parameters[i]);
    operands[i] = taken[i].data();
  }
  DeviceMemory memory{.arguments = std::move(operands), .results = results};
  for (size_t i = 0; i < results.size(); ++i) {
    if (isRowMajor(leaves[i])) continue;
    given[i].resize(static_cast<size_t>(bufferBytes(leaves[i])));
    memory.results[i] = given[i].data();
  }
  const auto done = executors_[program]->runOnMemory(
      {}, {&memory, 1}, {.cancel = options.cancel, .limitBytes = options.limitBytes});
  if (!done) return std::unexpected(done.error());
  for (size_t i = 0; i < results.size(); ++i) {
    if (!given[i].empty()) copyToBuffer(results[i], given[i].data(), leaves[i]);
  }
  return {};
}

}  // namespace hilo
