// For tests that show that an assertion fires (charm/detail/assert.hpp). Builds without assertions skip them.
#pragma once

#include <charm/detail/assert.hpp>

#include <gtest/gtest.h>

#ifdef CHARM_ASSERTIONS
#define NEEDS_ASSERTIONS() static_cast<void>(0)
#else
#define NEEDS_ASSERTIONS() GTEST_SKIP() << "this build checks no assertions (CHARM_ASSERTIONS)"
#endif

/// The statement ends the program with this message.
#define EXPECT_ASSERTION(statement, meaning) EXPECT_DEATH(statement, "this must hold and does not: " meaning)
