/* In the place of NVIDIA's libraries: what each says when it is asked for its version; two assemblers, which
 * refuse a text with foo.bar. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t cublasLtGetVersion(void) { return 130100; }
size_t cudnnGetVersion(void) { return 91900; }
int cufftGetVersion(int* version) {
  *version = 12000;
  return 0;
}
int cusolverGetVersion(int* version) {
  *version = 12004;
  return 0;
}
int ncclGetVersion(int* version) {
  *version = 22809;
  return 0;
}
int cuptiGetVersion(int* version) {
  *version = 130001;
  return 1; /* it fails */
}
int nvJitLinkVersion(unsigned* major, unsigned* minor) {
  *major = 13;
  *minor = 0;
  return 0;
}
int nvPTXCompilerGetVersion(unsigned* major, unsigned* minor) {
  *major = 12;
  *minor = 8;
  return 0;
}

struct Assembler {
  char target[32];
  int refuses;
};
static const char kWords[] =
    "ptxas info    : Compiling entry function 'k' for 'sm_90a'\n"
    "ptxas info    : Used 8 registers, used 1 barriers, 64 bytes smem\n";
static const char kErrors[] = "ptxas input, line 4; error   : Not a name of any known instruction: 'foo'\n";

static int read_text(struct Assembler* a, const char* text, size_t bytes) {
  if (strlen(text) != bytes) return 12; /* as nvJitLink, which reads up to a zero */
  for (size_t i = 0; i + 7 <= bytes; ++i) a->refuses |= memcmp(text + i, "foo.bar", 7) == 0;
  return a->refuses ? 4 : 0;
}
static int size_of(const char* text, int there, size_t* bytes) {
  *bytes = there ? strlen(text) + 1 : 0;
  return 0;
}

int nvJitLinkCreate(void** linker, uint32_t options, const char** option) {
  if (options != 2 || strcmp(option[1], "-verbose") != 0) return 1;
  if (strcmp(option[0], "-arch=sm_999") == 0) return 16;
  struct Assembler* a = calloc(1, sizeof *a);
  strncpy(a->target, option[0] + 6, sizeof a->target - 1);
  *linker = a;
  return 0;
}
int nvJitLinkDestroy(void** linker) {
  free(*linker);
  return 0;
}
int nvJitLinkAddData(void* linker, int form, const void* data, size_t bytes, const char* name) {
  (void)name;
  return form != 2 ? 5 : read_text(linker, data, bytes);
}
int nvJitLinkComplete(void* linker) {
  (void)linker;
  return 0;
}
int nvJitLinkGetLinkedCubinSize(void* linker, size_t* bytes) {
  *bytes = strlen(((struct Assembler*)linker)->target);
  return 0;
}
int nvJitLinkGetLinkedCubin(void* linker, char* to) {
  memcpy(to, ((struct Assembler*)linker)->target, strlen(((struct Assembler*)linker)->target));
  return 0;
}
int nvJitLinkGetErrorLogSize(void* linker, size_t* bytes) {
  return size_of(kErrors, ((struct Assembler*)linker)->refuses, bytes);
}
int nvJitLinkGetErrorLog(void* linker, char* to) {
  (void)linker;
  memcpy(to, kErrors, sizeof kErrors);
  return 0;
}
int nvJitLinkGetInfoLogSize(void* linker, size_t* bytes) {
  return size_of(kWords, !((struct Assembler*)linker)->refuses, bytes);
}
int nvJitLinkGetInfoLog(void* linker, char* to) {
  (void)linker;
  memcpy(to, kWords, sizeof kWords);
  return 0;
}

int nvPTXCompilerCreate(void** compiler, size_t bytes, const char* ptx) {
  struct Assembler* a = calloc(1, sizeof *a);
  read_text(a, ptx, bytes);
  *compiler = a;
  return 0;
}
int nvPTXCompilerDestroy(void** compiler) { return nvJitLinkDestroy(compiler); }
int nvPTXCompilerCompile(void* compiler, int options, const char* const* option) {
  struct Assembler* a = compiler;
  if (options != 2 || strncmp(option[0], "--gpu-name=", 11) != 0) return 7;
  strncpy(a->target, option[0] + 11, sizeof a->target - 1);
  return a->refuses ? 4 : 0;
}
int nvPTXCompilerGetCompiledProgramSize(void* compiler, size_t* bytes) {
  return nvJitLinkGetLinkedCubinSize(compiler, bytes);
}
int nvPTXCompilerGetCompiledProgram(void* compiler, char* to) {
  return nvJitLinkGetLinkedCubin(compiler, to);
}
int nvPTXCompilerGetErrorLogSize(void* compiler, size_t* bytes) {
  return nvJitLinkGetErrorLogSize(compiler, bytes);
}
int nvPTXCompilerGetErrorLog(void* compiler, char* to) { return nvJitLinkGetErrorLog(compiler, to); }
int nvPTXCompilerGetInfoLogSize(void* compiler, size_t* bytes) {
  return nvJitLinkGetInfoLogSize(compiler, bytes);
}
int nvPTXCompilerGetInfoLog(void* compiler, char* to) { return nvJitLinkGetInfoLog(compiler, to); }
