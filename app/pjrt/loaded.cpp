// Executables on devices: compiled, run, thrown away.
#include <fmt/format.h>

#include "app/pjrt/functions.h"
#include "app/pjrt/programs.h"

namespace hilo {
namespace {

Status compile(PjrtClientCompile& in) {
  if (in.program == nullptr) return fail("wrong-argument", "there is no program");
  TRY(auto compiled, compileProgram(*in.program, in.options, in.client->topology->settings));
  in.executable = loadOn(std::move(compiled), *in.client).release();
  return {};
}
Status deserialize(PjrtDeserialize& in) {
  TRY(auto compiled, deserialized({in.bytes.data, in.bytes.size}, in.client->topology->settings));
  in.executable = loadOn(std::move(compiled), *in.client).release();
  return {};
}
Status destroy(PjrtLoadedArgs& in) {
  delete in.executable;
  return {};
}
Status remove(PjrtLoadedArgs& in) {
  in.executable->isDeleted = true;
  return {};
}
Status isDeleted(PjrtLoadedFlag& in) {
  in.value = in.executable->isDeleted;
  return {};
}
Status inner(PjrtLoadedExecutable& in) {
  in.inner = new PjrtExecutable{in.executable->compiled};
  return {};
}
Status devices(PjrtLoadedDevices& in) {
  in.devices = in.executable->devices.data();
  in.count = in.executable->devices.size();
  return {};
}
Status logicalIds(PjrtLogicalIds& in) {
  in.ids = in.executable->logicalIds.data();
  in.count = in.executable->logicalIds.size();
  return {};
}
Status fingerprint(PjrtLoadedText& in) {
  in.text = textOf(in.executable->compiled->fingerprint);
  return {};
}

// How many bytes of the options hold these; older frameworks know fewer.
constexpr size_t kCallbacksEnd = sizeof(PjrtHead) + 4 * sizeof(size_t);
constexpr size_t kNotDonatableEnd = kCallbacksEnd + 3 * sizeof(size_t);

using ArgumentLists = std::vector<std::vector<Literal>>;

Result<std::vector<Literal>> argumentsOf(const PjrtCompiled& compiled, PjrtBuffer* const* list) {
  std::vector<Literal> arguments;
  for (size_t i = 0; i < compiled.parameters.size(); ++i) {
    TRY_STATUS(checkAlive(*list[i]));
    const Shape given = list[i]->value.shape(), wanted = compiled.parameters[i];
    if (given.withoutLayout() != wanted.withoutLayout())
      return fail("wrong-argument",
                  fmt::format("argument {} is {}, not {}", i, toString(given), toString(wanted)));
    arguments.push_back(list[i]->value.withShape(wanted));
  }
  return arguments;
}

Status checkExecute(const PjrtExecute& in) {
  const PjrtCompiled& compiled = *in.executable->compiled;
  if (in.executable->isDeleted) return fail("wrong-argument", "the executable was deleted");
  if (in.deviceCount != in.executable->devices.size())
    return fail("wrong-argument", fmt::format("lists for {} devices came, {} run it", in.deviceCount,
                                              in.executable->devices.size()));
  if (in.argumentCount != compiled.parameters.size())
    return fail("wrong-argument", fmt::format("{} arguments came where {} are taken", in.argumentCount,
                                              compiled.parameters.size()));
  const PjrtExecuteOptions* options = in.options;
  if (options != nullptr && options->structBytes >= kCallbacksEnd &&
      (options->sendCount > 0 || options->receiveCount > 0))
    return fail("unsupported", "sends to the host and receives from it while a program runs");
  return {};
}

bool mayDonate(const PjrtExecute& in, size_t argument) {
  const PjrtExecuteOptions* options = in.options;
  if (options == nullptr || options->structBytes < kNotDonatableEnd) return true;
  const std::span<const int64_t> kept(options->notDonatable, options->notDonatableCount);
  return std::ranges::find(kept, static_cast<int64_t>(argument)) == kept.end();
}

void giveResults(const PjrtExecute& in, std::vector<Literal> outputs) {
  const PjrtCompiled& compiled = *in.executable->compiled;
  for (size_t device = 0; device < outputs.size(); ++device) {
    PjrtDevice* place =
        in.device != nullptr && outputs.size() == 1 ? in.device : in.executable->devices[device];
    Literal& output = outputs[device];
    if (!output.isTuple()) {
      in.outputs[device][0] = makeBuffer(std::move(output), place);
    } else {
      for (size_t i = 0; i < compiled.results.size(); ++i)
        in.outputs[device][i] = makeBuffer(output.elements()[i], place);
    }
    if (in.completed != nullptr) in.completed[device] = doneEvent();
    for (size_t i = 0; i < compiled.donated.size(); ++i) {
      if (compiled.donated[i] && mayDonate(in, i)) in.arguments[device][i]->isDeleted = true;
    }
  }
}

Status execute(PjrtExecute& in) {
  TRY_STATUS(checkExecute(in));
  PjrtCompiled& compiled = *in.executable->compiled;
  ArgumentLists lists;
  for (size_t device = 0; device < in.deviceCount; ++device) {
    TRY(auto arguments, argumentsOf(compiled, in.argumentCount == 0 ? nullptr : in.arguments[device]));
    lists.push_back(std::move(arguments));
  }
  const std::lock_guard lock(compiled.mutex);
  std::vector<Literal> outputs;
  if (in.deviceCount == 1) {
    TRY(Literal output, compiled.program->run(lists[0], CancelToken()));
    outputs.push_back(std::move(output));
  } else {
    TRY(outputs, compiled.program->runOnDevices(compiled.grid, lists, CancelToken()));
  }
  giveResults(in, std::move(outputs));
  return {};
}

}  // namespace

std::span<const PjrtFunctionRow> loadedRows() {
  using enum PjrtFunction;
  static constexpr PjrtFunctionRow kRows[] = {
      row<Client_Compile, compile>(),
      row<Executable_DeserializeAndLoad, deserialize>(),
      row<LoadedExecutable_Destroy, destroy>(),
      row<LoadedExecutable_Delete, remove>(),
      row<LoadedExecutable_IsDeleted, isDeleted>(),
      row<LoadedExecutable_GetExecutable, inner>(),
      row<LoadedExecutable_AddressableDevices, devices>(),
      row<LoadedExecutable_AddressableDeviceLogicalIds, logicalIds>(),
      row<LoadedExecutable_Fingerprint, fingerprint>(),
      row<LoadedExecutable_Execute, execute>(),
  };
  return kRows;
}

}  // namespace hilo
