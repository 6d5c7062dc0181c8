#include "core/runtime/pjrt/pjrt_client.h"

#include <fmt/format.h>

#include <charconv>

#include "core/base/stopwatch.h"
#include "core/runtime/pjrt/pjrt_buffers.h"
#include "core/runtime/pjrt/pjrt_types.h"

namespace hilo {
namespace {

// "devices=2" as the number 2 called devices. The texts must outlive it.
PjrtNamedValue namedValue(std::string_view option) {
  const size_t equals = option.find('=');
  const std::string_view name = option.substr(0, equals);
  const std::string_view text = equals == std::string_view::npos ? "" : option.substr(equals + 1);
  PjrtNamedValue value{};
  value.structBytes = sizeof(value);
  value.name = name.data();
  value.nameSize = name.size();
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (!text.empty() && error == std::errc() && end == text.data() + text.size()) {
    value.kind = PjrtValueKind::Integer;
    value.integer = number;
    value.size = 1;
  } else {
    value.kind = PjrtValueKind::Text;
    value.text = text.data();
    value.size = text.size();
  }
  return value;
}

// A number of a protobuf message, behind the number of its field.
void addVarint(std::string& out, uint32_t field, uint64_t value) {
  for (uint64_t part : {uint64_t{field} << 3, value}) {
    for (; part >= 0x80; part >>= 7) out += static_cast<char>(part | 0x80);
    out += static_cast<char>(part);
  }
}

// A CompileOptionsProto, written by hand: this room links no protobuf, so that a library that has one does
// not meet another in the process.
std::string compileOptions(int64_t replicas) {
  enum Field : uint32_t { kBuildOptions = 3, kDeviceOrdinal = 1, kReplicas = 4, kPartitions = 5 };
  std::string build;
  addVarint(build, kDeviceOrdinal, ~uint64_t{0});
  addVarint(build, kReplicas, static_cast<uint64_t>(replicas));
  addVarint(build, kPartitions, 1);
  std::string options(1, static_cast<char>(kBuildOptions << 3 | 2));
  options += static_cast<char>(build.size());
  return options + build;
}

}  // namespace

std::optional<std::string> whyNotOfPjrt(Shape shape) {
  if (!shape.isArray()) return fmt::format("{} is no array", toString(shape));
  if (shape.isDynamic()) return fmt::format("{} has dimensions without a fixed size", toString(shape));
  if (!pjrtTypeOf(shape.elementType())) return fmt::format("PJRT has no type {}", toString(shape));
  return std::nullopt;
}

Result<std::shared_ptr<PjrtSession>> PjrtSession::open(std::shared_ptr<const PjrtLibrary> library,
                                                       std::span<const std::string> options) {
  std::vector<PjrtNamedValue> values;
  for (const std::string& option : options) values.push_back(namedValue(option));
  std::shared_ptr<PjrtSession> session(new PjrtSession(std::move(library)));
  PjrtClientCreate create{};
  create.options = values.data();
  create.optionCount = values.size();
  TRY_STATUS(session->library_->call<PjrtFunction::Client_Create>(create));
  session->client_ = create.client;
  PjrtClientDevices devices{};
  devices.client = create.client;
  TRY_STATUS(session->library_->call<PjrtFunction::Client_AddressableDevices>(devices));
  session->devices_.assign(devices.devices, devices.devices + devices.count);
  if (session->devices_.empty())
    return fail("no-device", fmt::format("{} has no device on this machine", session->library_->path()));
  return session;
}

PjrtSession::~PjrtSession() {
  if (client_ == nullptr) return;
  PjrtClientArgs arguments{};
  arguments.client = client_;
  (void)library_->call<PjrtFunction::Client_Destroy>(arguments);
}

Result<std::string> PjrtSession::platform() const {
  PjrtClientText name{}, version{};
  name.client = version.client = client_;
  TRY_STATUS(library_->call<PjrtFunction::Client_PlatformName>(name));
  TRY_STATUS(library_->call<PjrtFunction::Client_PlatformVersion>(version));
  return fmt::format("{}, {}", std::string_view(name.text.data, name.text.size),
                     std::string_view(version.text.data, version.text.size));
}

Result<std::unique_ptr<PjrtProgramOf>> PjrtSession::compile(std::string_view moduleBytes, int64_t replicas) {
  if (std::cmp_greater(replicas, devices_.size()))
    return fail("no-device", fmt::format("{} has {} devices, the module asks for {}", library_->path(),
                                         devices_.size(), replicas));
  static constexpr std::string_view kFormat = "hlo";
  std::string code(moduleBytes);
  PjrtProgram program{};
  program.structBytes = sizeof(program);
  program.code = code.data();
  program.codeSize = code.size();
  program.format = kFormat.data();
  program.formatSize = kFormat.size();
  const std::string options = compileOptions(replicas);
  PjrtClientCompile compile{};
  compile.client = client_;
  compile.program = &program;
  compile.options = {options.data(), options.size()};
  TRY_STATUS(library_->call<PjrtFunction::Client_Compile>(compile));
  return std::make_unique<PjrtProgramOf>(shared_from_this(), compile.executable);
}

PjrtProgramOf::~PjrtProgramOf() {
  PjrtLoadedArgs arguments{};
  arguments.executable = executable_;
  (void)session_->library().call<PjrtFunction::LoadedExecutable_Destroy>(arguments);
}

namespace {

using BufferLists = std::vector<std::vector<PjrtBufferOwner>>;

// The addresses of the lists' buffers, as a call takes them.
template <typename List>
std::vector<PjrtBuffer*> addressesOf(const List& list) {
  std::vector<PjrtBuffer*> addresses;
  for (const PjrtBufferOwner& buffer : list) addresses.push_back(buffer.get());
  return addresses;
}

std::vector<Shape> resultsOf(Shape result) {
  if (!result.isTuple()) return {result};
  return {result.tupleShapes().begin(), result.tupleShapes().end()};
}

Result<Literal> resultFrom(const std::vector<PjrtBufferOwner>& buffers, Shape result) {
  const std::vector<Shape> shapes = resultsOf(result);
  std::vector<Literal> arrays;
  for (size_t i = 0; i < buffers.size(); ++i) {
    TRY(Literal array, buffers[i].toLiteral(shapes[i]));
    arrays.push_back(std::move(array));
  }
  return result.isTuple() ? Literal::tuple(std::move(arrays)) : std::move(arrays[0]);
}

Status checkOutputs(const PjrtLibrary& library, PjrtLoaded* executable, size_t expected) {
  if (!library.has(PjrtFunction::LoadedExecutable_GetExecutable) ||
      !library.has(PjrtFunction::Executable_NumOutputs))
    return {};
  PjrtLoadedExecutable loaded{};
  loaded.executable = executable;
  TRY_STATUS(library.call<PjrtFunction::LoadedExecutable_GetExecutable>(loaded));
  PjrtExecutableCount outputs{};
  outputs.executable = loaded.inner;
  const Status counted = library.call<PjrtFunction::Executable_NumOutputs>(outputs);
  PjrtExecutableArgs inner{};
  inner.executable = loaded.inner;
  TRY_STATUS(library.call<PjrtFunction::Executable_Destroy>(inner));
  TRY_STATUS(counted);
  if (outputs.count == expected) return {};
  return fail("pjrt-result",
              fmt::format("the library gives {} results where the module has {}", outputs.count, expected));
}

}  // namespace

Result<PjrtOutput> PjrtProgramOf::run(std::span<const std::vector<Literal>> arguments, int64_t devices,
                                      Shape result) {
  const PjrtLibrary& library = session_->library();
  const auto count = static_cast<size_t>(devices);
  const size_t outputs = resultsOf(result).size();
  TRY_STATUS(checkOutputs(library, executable_, outputs));
  BufferLists held(count), given(count);
  std::vector<std::vector<PjrtBuffer*>> inputs(count), results(count, std::vector<PjrtBuffer*>(outputs));
  std::vector<PjrtBuffer* const*> inputLists;
  std::vector<PjrtBuffer**> outputLists;
  for (size_t device = 0; device < count; ++device) {
    for (const Literal& argument : arguments[arguments.size() == 1 ? 0 : device]) {
      TRY(PjrtBufferOwner buffer,
          PjrtBufferOwner::fromLiteral(library, session_->client_, session_->devices_[device], argument));
      held[device].push_back(std::move(buffer));
    }
    inputs[device] = addressesOf(held[device]);
    inputLists.push_back(inputs[device].data());
    outputLists.push_back(results[device].data());
  }
  PjrtExecuteOptions options{};
  options.structBytes = sizeof(options);
  std::vector<PjrtEvent*> completed(count, nullptr);
  PjrtExecute execute{};
  execute.executable = executable_;
  execute.options = &options;
  execute.arguments = inputLists.data();
  execute.deviceCount = count;
  execute.argumentCount = arguments[0].size();
  execute.outputs = outputLists.data();
  execute.completed = completed.data();
  const Stopwatch watch;
  TRY_STATUS(library.call<PjrtFunction::LoadedExecutable_Execute>(execute));
  for (size_t device = 0; device < count; ++device) {
    for (PjrtBuffer* buffer : results[device]) given[device].emplace_back(library, buffer);
  }
  Status done;
  for (PjrtEvent* event : completed) {
    if (Status one = library.await(event); !one && done) done = std::move(one);
  }
  TRY_STATUS(done);
  PjrtOutput output{.results = {}, .executionNs = watch.ns()};
  for (const auto& buffers : given) {
    TRY(Literal literal, resultFrom(buffers, result));
    output.results.push_back(std::move(literal));
  }
  return output;
}

Result<PjrtProgramOf::Optimized> PjrtProgramOf::optimized() const {
  const PjrtLibrary& library = session_->library();
  PjrtLoadedExecutable loaded{};
  loaded.executable = executable_;
  TRY_STATUS(library.call<PjrtFunction::LoadedExecutable_GetExecutable>(loaded));
  PjrtProgram program{};
  program.structBytes = sizeof(program);
  PjrtOptimizedProgram arguments{};
  arguments.executable = loaded.inner;
  arguments.program = &program;
  Status done = library.call<PjrtFunction::Executable_OptimizedProgram>(arguments);
  Optimized optimized;
  if (done) {
    optimized.bytes.resize(program.codeSize);
    program.code = optimized.bytes.data();
    done = library.call<PjrtFunction::Executable_OptimizedProgram>(arguments);
    if (done) optimized.format.assign(program.format, program.formatSize);
  }
  PjrtExecutableArgs inner{};
  inner.executable = loaded.inner;
  TRY_STATUS(library.call<PjrtFunction::Executable_Destroy>(inner));
  TRY_STATUS(done);
  return optimized;
}

}  // namespace hilo
