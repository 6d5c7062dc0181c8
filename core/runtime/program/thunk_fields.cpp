#include "core/runtime/program/thunk_fields.h"

#include <xxhash.h>

#include <algorithm>

#include "core/runtime/program/text_fields.h"

namespace hilo {
namespace {

struct ComparedFields {
  const Program& program;
  const std::vector<std::string>& code;  // by object
  std::string path = {};
  FieldTexts out = {};

  void operator()(const char*, const ReadSlice&) {}
  void operator()(const char*, const WriteSlice&) {}
  void operator()(const char*, const std::vector<ReadSlice>&) {}
  void operator()(const char*, const std::vector<WriteSlice>&) {}
  void operator()(const char* name, KernelPlace place) {
    out.emplace_back(path + name, code[program.kernels[place].object]);
  }
  void operator()(const char* name, CollectivePlace place) { addFields(name, program.collectives[place]); }
  void operator()(const char*, SequencePlace) {}
  void operator()(const char*, HostedPlace) {}
  template <ProgramTable kTable>
  void operator()(const char* name, const std::vector<TablePlace<kTable>>& places) {
    for (const auto place : places) (*this)(name, place);
  }
  void operator()(const char*, const std::vector<CollectiveReduction>& reductions) {
    for (const CollectiveReduction& reduction : reductions) {
      (*this)("accumulate", reduction.accumulate);
      if (reduction.widens) (*this)("narrow", reduction.narrow);
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
  visitFields(thunk, fields);
  return std::move(fields.out);
}

}  // namespace hilo
