// A command of the user's that looks at the module as a file.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "core/base/files.h"
#include "core/hlo/eval/npy.h"
#include "core/hlo/text/print.h"
#include "core/workspace/watch/child_process.h"
#include "core/workspace/watch/watched_module.h"
#include "core/workspace/watch/watchers.h"

namespace hilo {
namespace {

// A folder that goes with its owner.
class TemporaryFolder {
 public:
  static Result<std::unique_ptr<TemporaryFolder>> make() {
    std::error_code error;
    std::string name = (std::filesystem::temp_directory_path(error) / "hilo-watch-XXXXXX").string();
    if (error || mkdtemp(name.data()) == nullptr)
      return fail("not-writable", "no temporary folder for a script");
    return std::unique_ptr<TemporaryFolder>(new TemporaryFolder(std::move(name)));
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

class ScriptWatcher : public Watcher {
 public:
  ScriptWatcher(std::string_view command, std::unique_ptr<TemporaryFolder> folder)
      : command_(command), folder_(std::move(folder)) {}

  Result<Observation> look(const WatchedCase& watched, const JobContext& context) override {
    TRY(const PassedModule passed, passedModule(watched, context));
    if (!passed.isSound()) return unknownFor(passed);
    const std::string file = folder_->path() + "/module.hlo";
    PrintOptions whole;
    whole.largeConstants = true;
    TRY_STATUS(writeBytes(file, printModule(*withoutDeadCode(*passed.module), whole)));
    TRY(const std::string command, withArguments(watched));
    TRY(const ChildEnd end, runChild({"/bin/sh", "-c", command + " \"$0\"", file}, "", context.cancel()));
    if (end.exitCode == 0) return Observation{};
    if (end.exitCode == 125) return Observation{Sight::Unknown, {}, "the script cannot tell"};
    if (end.exitCode == 1) return Observation{Sight::Bad, "script", "the script exits with 1"};
    const std::string how =
        end.crashed() ? signalText(end.signal) : fmt::format("exit code {}", end.exitCode);
    return fail("script-failed", fmt::format("'{}' ended with {}", command_, how), {},
                {"0 is good, 1 is bad, 125 says that it cannot tell", end.errors});
  }

  bool heedsValues() const override { return command_.find(kArguments) != std::string::npos; }

 private:
  // Arguments are written only for who asks: they may be large.
  Result<std::string> withArguments(const WatchedCase& watched) const {
    const size_t at = command_.find(kArguments);
    if (at == std::string::npos) return command_;
    const std::string path = folder_->path() + "/arguments.npz";
    std::vector<NamedLiteral> members;
    for (size_t i = 0; i < watched.arguments.size(); ++i)
      members.push_back({fmt::format("arg{}", i), watched.arguments[i]});
    TRY_STATUS(saveNpz(path, members));
    return command_.substr(0, at) + path + command_.substr(at + kArguments.size());
  }

  static constexpr std::string_view kArguments = "{arguments}";
  const std::string command_;
  const std::unique_ptr<TemporaryFolder> folder_;
};

}  // namespace

MadeWatcher makeScriptWatcher(std::string_view argument, const WatchOptions&) {
  TRY(auto folder, TemporaryFolder::make());
  return std::make_unique<ScriptWatcher>(argument, std::move(folder));
}

}  // namespace hilo
