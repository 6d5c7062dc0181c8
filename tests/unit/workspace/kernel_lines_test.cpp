// Which lines of a fusion's LLVM IR and assembly came of which of its instructions.
#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"
#include "core/workspace/thunks/thunk_study.h"

namespace hilo {
namespace {

constexpr const char* kFusion = R"(HloModule m

fused {
  p = f32[1024] parameter(0)
  q = f32[1024] parameter(1)
  product = f32[1024] multiply(p, q)
  root = f32[1024] sqrt(product)
  ROOT sum = f32[1024] add(root, q)
}

ENTRY e {
  a = f32[1024] parameter(0)
  b = f32[1024] parameter(1)
  ROOT f = f32[1024] fusion(a, b), kind=kLoop, calls=fused
}
)";

class KernelLinesTest : public testing::Test {
 protected:
  void SetUp() override {
    module = std::move(parseModule(kFusion).module);
    const auto study = studyThunks(module, {}, {});
    ASSERT_TRUE(study) << study.error().message;
    auto made = kernelForms(*study, 0);
    ASSERT_TRUE(made) << made.error().message;
    forms = std::move(*made);
    ASSERT_EQ(forms.forms.size(), 4u);
  }
  // The lines of a form that came of an instruction, joined.
  std::string linesOf(size_t form, const char* name) const {
    const KernelForm& of = forms.forms[form];
    const InstructionId id = module->findInstruction(name)->id();
    std::string all, line;
    std::istringstream text(of.text);
    for (size_t i = 0; std::getline(text, line); ++i) {
      if (of.at(i) == id) all += line + "\n";
    }
    return all;
  }
  std::shared_ptr<const Module> module;
  KernelForms forms;
};

TEST_F(KernelLinesTest, everyFormHasAnIdALine) {
  for (const KernelForm& form : forms.forms) {
    EXPECT_EQ(std::ranges::count(form.text, '\n'), std::ssize(form.instructions)) << form.title;
  }
}

TEST_F(KernelLinesTest, eachInstructionsLinesAreItsOwn) {
  EXPECT_EQ(linesOf(0, "product").find("product = f32[1024]"), 2u) << linesOf(0, "product");
  for (const size_t form : {1u, 2u}) {
    SCOPED_TRACE(forms.forms[form].title);
    EXPECT_NE(linesOf(form, "product").find("fmul"), std::string::npos) << forms.forms[form].text;
    EXPECT_EQ(linesOf(form, "product").find("fadd"), std::string::npos);
    EXPECT_NE(linesOf(form, "sum").find("fadd"), std::string::npos);
    EXPECT_EQ(linesOf(form, "sum").find("fmul"), std::string::npos);
    EXPECT_NE(linesOf(form, "root").find("sqrt"), std::string::npos);
  }
}

TEST_F(KernelLinesTest, assemblyKeepsThem) {
#ifdef __x86_64__
  EXPECT_NE(linesOf(3, "product").find("mulps"), std::string::npos) << forms.forms[3].text;
  EXPECT_NE(linesOf(3, "root").find("sqrt"), std::string::npos);
  EXPECT_NE(linesOf(3, "sum").find("addps"), std::string::npos);
#endif
  EXPECT_EQ(forms.forms[3].text.find(".debug"), std::string::npos);
  EXPECT_EQ(forms.forms[3].text.find(".loc"), std::string::npos);
}

TEST_F(KernelLinesTest, compiledOtherwise) {
  const auto study = compileThunks(module, {});
  LlvmKernelOptions options = *forms.options;
  EXPECT_EQ(options, LlvmKernelOptions()) << "nothing is said";
  const auto marked = [](const KernelForm& form, char mark) {
    size_t count = form.text[0] == mark ? 1 : 0;
    for (size_t at = 0; (at = form.text.find('\n', at)) + 1 < form.text.size(); ++at)
      count += form.text[at + 1] == mark ? 1 : 0;
    return count;
  };
  const auto same = kernelForms(*study, 0, options);
  ASSERT_EQ(same->forms.size(), 4u);
  EXPECT_EQ(marked(same->forms[3], '+') + marked(same->forms[3], '-'), 0u);
  options.optimizeForSize = true;
  const auto small = kernelForms(*study, 0, options);
  EXPECT_TRUE(small->options->optimizeForSize);
  EXPECT_EQ(small->forms[2].text.find("x float>"), std::string::npos);
  const KernelForm& difference = small->forms[3];
  EXPECT_GT(marked(difference, '+'), 0u);
  EXPECT_EQ(std::ranges::count(difference.text, '\n'), std::ssize(difference.instructions));
  // What is marked with neither and with '-' is the listing as compiled.
  std::istringstream lines(difference.text);
  std::string before, line;
  while (std::getline(lines, line)) {
    if (line[0] != '+') before += line.substr(1) + "\n";
  }
  EXPECT_EQ(before, forms.forms[3].text);
}

}  // namespace
}  // namespace hilo
