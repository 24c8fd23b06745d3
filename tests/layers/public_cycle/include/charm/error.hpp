#pragma once
#include <charm/runtime.hpp>
