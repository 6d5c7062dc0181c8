// Included before each scalar function's file where it is compiled for GPUs: the standard library's complex
// functions are then its own formulas on real functions, not C's.
#pragma once

#include <bits/c++config.h>
#undef _GLIBCXX_USE_C99_COMPLEX
#undef _GLIBCXX_USE_C99_COMPLEX_TR1
