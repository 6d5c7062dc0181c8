// A library of NVIDIA's, found and loaded into this process, where it stays; its functions by name, of a
// table (NAME_functions.def) that declares and finds them.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace hilo {

// Where to look: folders first, then as the loader of the system finds libraries.
struct LibrarySearch {
  std::vector<std::string> folders;
  bool asksSystem = true;
};
LibrarySearch librarySearchHere();

template <typename Type>
struct LibraryFunction;
template <typename... Parameters>
struct LibraryFunction<int(Parameters...)> {
  const char* symbol;
  int (*pointer)(Parameters...) = nullptr;
};

class LoadedLibrary {
 public:
  // `id` of libraries.def; `name` and `install` are for messages. Kind "missing-library".
  static Result<LoadedLibrary> open(const char* id, const char* name, const char* install,
                                    const LibrarySearch& search);
  // The file at `path`. Kind "missing-library", in the words of the system's loader.
  static Result<LoadedLibrary> openFile(const std::string& path, const char* name, const char* install);

  const std::string& path() const { return path_; }
  // Kind "old-library", with the function that it lacks.
  template <typename... P>
  Status find(LibraryFunction<int(P...)>& function) const {
    void* found = symbol(function.symbol);
    if (found == nullptr) return lacks(function.symbol);
    function.pointer = reinterpret_cast<int (*)(P...)>(found);
    return {};
  }
  // Done where the function gives 0; else kind "library-failed" with its number.
  template <typename... P, typename... A>
  Status call(const LibraryFunction<int(P...)>& function, A... arguments) const {
    const int result = function.pointer(arguments...);
    if (result == 0) [[likely]]
      return {};
    return failure(function.symbol, result);
  }
  Status failure(const char* symbol, int result) const;

 private:
  void* symbol(const char* name) const;
  Status lacks(const char* symbol) const;

  void* handle_ = nullptr;
  const char *name_ = "", *install_ = "";
  std::string path_;
};

// Declares the functions of a table as members, and finds all of them.
#define HILO_LIBRARY_MEMBER(name, symbol, ...) LibraryFunction<int(__VA_ARGS__)> name{symbol};
#define HILO_LIBRARY_FIND(name, symbol, ...) TRY_STATUS(library.find(functions.name));

}  // namespace hilo
