// Programs that are killed, and two at once: a document stays whole and keeps what was committed.
#include <sqlite3.h>
#include <sys/wait.h>

#include <csignal>
#include <random>
#include <thread>

#include "core/workspace/store/store.h"
#include "tests/unit/workspace/document_fixture.h"

namespace hilo {
namespace {

// Runs `body` in a process of its own; it writes a number to the pipe after each thing it did for sure.
struct Child {
  pid_t pid = 0;
  int acknowledged = 0;  // the pipe's reading end
  int last_ = 0;

  template <typename Body>
  explicit Child(Body body) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    pid = ::fork();
    if (pid == 0) {
      ::close(ends[0]);
      body(ends[1]);
      ::_exit(0);
    }
    ::close(ends[1]);
    acknowledged = ends[0];
  }
  ~Child() { ::close(acknowledged); }
  // Waits until it is at work, a loaded machine being slow to begin, and kills it some time after.
  void killAfter(std::chrono::microseconds time) {
    EXPECT_EQ(::read(acknowledged, &last_, sizeof(last_)), static_cast<ssize_t>(sizeof(last_)));
    std::this_thread::sleep_for(time);
    ::kill(pid, SIGKILL);
    wait();
  }
  // The last number that was written; call once the process has ended.
  int last() {
    int read = 0;
    while (::read(acknowledged, &read, sizeof(read)) == sizeof(read)) last_ = read;
    return last_;
  }
  int wait() const {
    int status = 0;
    ::waitpid(pid, &status, 0);
    return status;
  }
};

void tell(int pipe, int number) { (void)!::write(pipe, &number, sizeof(number)); }

class DocumentKillTest : public DocumentTest {
 protected:
  void expectWhole() {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &handle), SQLITE_OK);
    std::string answer;
    const auto take = [](void* out, int, char** values, char**) {
      *static_cast<std::string*>(out) += values[0];
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(handle, "PRAGMA integrity_check", take, &answer, nullptr), SQLITE_OK);
    EXPECT_EQ(answer, "ok");
    sqlite3_close(handle);
  }
};

TEST_F(DocumentKillTest, WhatWasCommittedIsThereAfterAnyOfManyKills) {
  writeSample();
  std::mt19937 random(7);
  int kept = 0;
  for (int round = 0; round < 40; ++round) {
    Child writer([&](int pipe) {
      const auto store = RunStore::open(path_);
      for (int n = kept + 1; store; ++n) {
        // A note of up to several pages, so that a kill falls into the middle of one often.
        const bool done = (*store)->setNote(1, "m", std::to_string(n) + std::string(n % 7 * 5000, 'x')) &&
                          saveViewState(path_, {{"selected", std::to_string(n)}});
        if (!done) return;
        tell(pipe, n);
      }
    });
    writer.killAfter(std::chrono::microseconds(random() % 20000));
    const int acknowledged = std::max(writer.last(), kept);
    const auto document = readDocument(path_);
    ASSERT_TRUE(document) << toString(document.error());
    const auto store = RunStore::open(path_);
    ASSERT_TRUE(store) << toString(store.error());
    const std::string note = *(*store)->noteOf(1);
    const int number = note.empty() ? 0 : std::stoi(note);
    EXPECT_GE(number, acknowledged);
    EXPECT_LE(number, acknowledged + 1) << "only what was under way may be there as well";
    if (number > 0) EXPECT_EQ(note.size(), std::to_string(number).size() + number % 7 * 5000);
    kept = number;
  }
  EXPECT_GT(kept, 0);
  expectWhole();
}

TEST_F(DocumentKillTest, ASaveThatIsKilledLeavesTheOldOrTheNew) {
  writeSample();
  std::mt19937 random(11);
  int saves = 0;
  for (int round = 0; round < 30; ++round) {
    Child writer([&](int pipe) {
      auto document = readDocument(path_);
      for (int n = 1; document; ++n) {
        // Everything anew each time: many pages change.
        for (DocumentItem& item : document->items) item.storedId = 0;
        if (document->items.size() < 8) document->items.push_back(document->items[0]);
        document->viewState["items"] = std::to_string(document->items.size());
        if (!saveDocument(path_, *document)) return;
        tell(pipe, n);
      }
    });
    writer.killAfter(std::chrono::microseconds(random() % 20000));
    saves += writer.last();
    const auto document = readDocument(path_);
    ASSERT_TRUE(document) << toString(document.error());
    ASSERT_FALSE(document->items.empty());
    const auto said = document->viewState.find("items");
    if (said != document->viewState.end())
      EXPECT_EQ(std::to_string(document->items.size()), said->second) << "items and state are of one save";
  }
  EXPECT_GT(saves, 0);
  expectWhole();
}

TEST_F(DocumentKillTest, AFirstSaveThatIsKilledLeavesNothingOrAll) {
  HiloDocument document;
  document.items.push_back(itemOf(kAddModule, "add.hlo"));
  std::mt19937 random(13);
  for (int round = 0; round < 20; ++round) {
    std::filesystem::remove(path_);
    Child writer([&](int pipe) {
      if (saveDocument(path_, document)) tell(pipe, 1);
    });
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 15000));
    ::kill(writer.pid, SIGKILL);
    writer.wait();
    const bool told = writer.last() == 1;
    if (std::filesystem::exists(path_)) {
      EXPECT_TRUE(readDocument(path_));
    } else {
      EXPECT_FALSE(told);
    }
  }
}

TEST_F(DocumentKillTest, TwoProgramsLoseNothingOfEachOther) {
  writeSample();
  constexpr int kEach = 40;
  const auto work = [&](int which) {
    return [&, which](int pipe) {
      const auto store = RunStore::open(path_);
      for (int n = 1; n <= kEach && store; ++n) {
        const Bookmark bookmark{5, "m", std::to_string(which) + "." + std::to_string(n), ""};
        // One keeps bookmarks, and both save what they show: neither may undo the other's.
        if (!(*store)->keep(bookmark) || !saveViewState(path_, {{std::to_string(which), std::to_string(n)}}))
          return;
        tell(pipe, n);
      }
    };
  };
  Child a(work(1)), b(work(2));
  a.wait();
  b.wait();
  EXPECT_EQ(a.last(), kEach);
  EXPECT_EQ(b.last(), kEach);
  const auto store = RunStore::open(path_);
  EXPECT_EQ((*store)->bookmarksOf(5)->size(), size_t{2 * kEach});
  const auto document = readDocument(path_);
  ASSERT_TRUE(document) << toString(document.error());
  EXPECT_EQ(document->viewState.at("1"), std::to_string(kEach));
  EXPECT_EQ(document->viewState.at("2"), std::to_string(kEach));
  expectWhole();
}

}  // namespace
}  // namespace hilo
