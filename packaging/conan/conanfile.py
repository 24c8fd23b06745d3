"""The library as a Conan 2 package: conan create packaging/conan. The command and the workloads are not part of it."""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
from conan.tools.gnu import PkgConfigDeps

required_conan_version = ">=2.0"


class Charm(ConanFile):
    name = "charm"
    description = "A chiplet-aware task runtime for many-core CPUs"
    license = "Apache-2.0"
    topics = ("parallel", "scheduler", "numa", "chiplet")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}
    implements = ["auto_shared_fpic"]

    @property
    def _sources(self):
        """The folder of CMakeLists.txt, as seen from this file."""
        return os.path.normpath(os.path.join(self.recipe_folder, "..", ".."))

    def set_version(self):
        lists = load(self, os.path.join(self._sources, "CMakeLists.txt"))
        self.version = re.search(r"project\(charm VERSION ([0-9.]+)", lists).group(1)

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "README.md", "cmake/*", "include/*", "scripts/*", "src/*",
                        "packaging/*", "docs/*"):
            copy(self, pattern, self._sources, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        self.requires("boost/[>=1.74 <2]", options={"without_context": False})
        self.requires("hwloc/[>=2.5 <3]", transitive_libs=True)
        self.requires("nlohmann_json/[>=3.11 <4]")

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("charm needs Linux")
        check_min_cppstd(self, 20)

    def generate(self):
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.variables["CHARM_BUILD_TOOLS"] = False
        toolchain.variables["CHARM_BUILD_TESTS"] = False
        toolchain.variables["CHARM_BUILD_BENCH"] = False
        toolchain.variables["CHARM_INSTALL"] = True
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "charm")
        self.cpp_info.set_property("cmake_target_name", "charm::charm")
        self.cpp_info.set_property("pkg_config_name", "charm")
        self.cpp_info.libs = ["charm"]
        self.cpp_info.system_libs = ["pthread", "m", "dl"]
        self.cpp_info.requires = ["boost::context", "hwloc::hwloc", "nlohmann_json::nlohmann_json"]
