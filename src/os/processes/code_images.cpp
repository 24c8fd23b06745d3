#include "os/processes/code_images.hpp"

#include <cstring>
#include <elf.h>
#include <link.h>

namespace charm::os {
namespace {

/// FNV-1a over 8 bytes at a time, and single bytes at the end.
std::uint64_t digest_of(const char* data, std::size_t bytes) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (; bytes >= sizeof(std::uint64_t); data += sizeof(std::uint64_t), bytes -= sizeof(std::uint64_t)) {
    std::uint64_t word;
    std::memcpy(&word, data, sizeof word);
    hash = (hash ^ word) * 0x100000001b3U;
    hash ^= hash >> 29;
  }
  for (; bytes > 0; ++data, --bytes) hash = (hash ^ static_cast<unsigned char>(*data)) * 0x100000001b3U;
  return hash;
}

/// Of the build id in a segment of notes; 0 if it has none.
std::uint64_t build_id_in(const char* notes, std::size_t bytes) noexcept {
  const auto padded = [](std::size_t n) { return (n + 3) / 4 * 4; };
  while (bytes >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) head;
    std::memcpy(&head, notes, sizeof head);
    const std::size_t name_at = sizeof head;
    const std::size_t text_at = name_at + padded(head.n_namesz);
    const std::size_t next = text_at + padded(head.n_descsz);
    if (next > bytes) return 0;
    if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && std::memcmp(notes + name_at, "GNU", 4) == 0)
      return digest_of(notes + text_at, head.n_descsz);
    notes += next;
    bytes -= next;
  }
  return 0;
}

int add_image(dl_phdr_info* info, std::size_t /*size*/, void* argument) {
  auto& images = *static_cast<std::vector<CodeImage>*>(argument);
  CodeImage image{info->dlpi_name, info->dlpi_addr, UINTPTR_MAX, 0, 0};
  if (!images.empty() && image.name.find('/') == std::string::npos) return 0;  // the vdso
  std::uint64_t code = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    const std::uintptr_t at = info->dlpi_addr + part.p_vaddr;
    const auto* bytes = reinterpret_cast<const char*>(at);
    if (part.p_type == PT_NOTE && image.identity == 0) image.identity = build_id_in(bytes, part.p_memsz);
    if (part.p_type != PT_LOAD) continue;
    image.begin = at < image.begin ? at : image.begin;
    image.end = at + part.p_memsz > image.end ? at + part.p_memsz : image.end;
    if ((part.p_flags & PF_X) != 0 && (part.p_flags & PF_R) != 0) code ^= digest_of(bytes, part.p_memsz);
  }
  if (image.identity == 0) image.identity = code | 1;
  images.push_back(image);
  return 0;
}

}  // namespace

std::vector<CodeImage> code_images() {
  std::vector<CodeImage> images;
  dl_iterate_phdr(add_image, &images);
  return images;
}

}  // namespace charm::os
