#pragma once
#include <base/text.hpp>
