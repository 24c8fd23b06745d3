#include "ranks/code.hpp"

#include <charm/detail/remote.hpp>
#include <charm/error.hpp>

#include <algorithm>
#include <string>

#include "os/processes/code_images.hpp"
#include "os/processes/symbol.hpp"

namespace charm::remote {
namespace {

constexpr unsigned offset_bits = 32;  // of the 40 that a message has
constexpr std::size_t most_images = 256;

struct Image : os::CodeImage {
  bool same = true;
};

/// Written by init() only, while no rank calls anything.
std::vector<Image>& images() {
  static std::vector<Image> all;
  return all;
}

}  // namespace

void find_code() {
  images().clear();
  for (os::CodeImage& image : os::code_images()) {
    if (images().size() < most_images) images().push_back({std::move(image), true});
  }
}

std::vector<std::uint64_t> code_identities() {
  std::vector<std::uint64_t> all;
  for (const Image& image : images()) all.push_back(image.identity);
  return all;
}

void allow_code(const std::vector<bool>& same) {
  for (std::size_t i = 0; i < images().size(); ++i) images()[i].same = i < same.size() && same[i];
}

std::uint64_t detail::number_of_code(std::uintptr_t address) {
  for (std::size_t i = 0; i < images().size(); ++i) {
    const Image& image = images()[i];
    if (address < image.begin || address >= image.end) continue;
    if (image.same && address - image.base < std::uint64_t{1} << offset_bits)
      return std::uint64_t{i} << offset_bits | (address - image.base);
    throw Error(Errc::bad_input,
                "the function " + os::symbol(address) + " is in " + image.name + ", which is not the same on all ranks",
                "install the same build of the library for every rank");
  }
  if (images().empty()) throw Error(Errc::not_running, "no rank has been started", "call charm::remote::init() first");
  throw Error(Errc::bad_input, "the function " + os::symbol(address) + " is in a library that was loaded after init()",
              "load the library before charm::remote::init()");
}

std::uintptr_t detail::code_of_number(std::uint64_t number) {
  return images()[number >> offset_bits].base + (number & ((std::uint64_t{1} << offset_bits) - 1));
}

}  // namespace charm::remote
