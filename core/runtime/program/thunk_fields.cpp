#include "core/runtime/program/thunk_fields.h"

#include <xxhash.h>

#include <algorithm>

#include "core/runtime/program/text_fields.h"

namespace hilo {
namespace {

// A uint32_t is a place in a table of the program: which one follows from the field's name.
struct ComparedFields {
  const Program& program;
  const std::vector<std::string>& code;  // by object
  std::string path = {};
  FieldTexts out = {};

  void operator()(const char*, const ReadSlice&) {}
  void operator()(const char*, const WriteSlice&) {}
  void operator()(const char*, const std::vector<ReadSlice>&) {}
  void operator()(const char*, const std::vector<WriteSlice>&) {}
  void operator()(const char* name, uint32_t number) {
    static constexpr std::string_view kKernels[] = {"kernel", "comparator"};
    if (name == std::string_view("collective")) addFields(name, program.collectives[number]);
    if (std::ranges::find(kKernels, name) != std::end(kKernels)) addCode(name, number);
  }
  void operator()(const char* name, const std::vector<uint32_t>& numbers) {
    for (const uint32_t number : numbers) (*this)(name, number);
  }
  void operator()(const char*, const std::vector<CollectiveReduction>& reductions) {
    for (const CollectiveReduction& reduction : reductions) {
      addCode("accumulate", reduction.accumulate);
      if (reduction.widens) addCode("narrow", reduction.narrow);
    }
  }
  void operator()(const char* name, const LibraryCall& call) {
    std::visit([&](const auto& one) { addFields(name, one); }, call);
  }
  template <typename T>
  void operator()(const char* name, const T& value) {
    if constexpr (FieldsOf<T, ComparedFields>) {
      addFields(name, value);
    } else {
      TextFields text;
      text.append(value);
      out.emplace_back(path + name, std::move(text.out));
    }
  }

 private:
  template <typename T>
  void addFields(const char* name, const T& value) {
    const std::string around = path;
    path += std::string(name) + ".";
    T::visit(value, *this);
    path = around;
  }
  void addCode(const char* name, uint32_t kernel) {
    out.emplace_back(path + name, code[program.kernels[kernel].object]);
  }
};

}  // namespace

ThunkFields::ThunkFields(const Program& program) : program_(program) {
  for (const KernelObject& object : program.objects) {
    const size_t size = object.code.size();
    code_.push_back(
        fmt::format("{} bytes of code, hash {:016x}", size, XXH3_64bits(object.code.data(), size)));
  }
}

FieldTexts ThunkFields::of(const Thunk& thunk) const {
  ComparedFields fields{.program = program_, .code = code_};
  std::visit(
      [&]<typename Body>(const Body& body) {
        if constexpr (!std::is_same_v<Body, std::monostate>) Body::visit(body, fields);
      },
      thunk.body);
  return std::move(fields.out);
}

}  // namespace hilo
