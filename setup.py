"""The wheel holds the compiled engine: `pip wheel .` compiles it, where there is a compiler.

All else stands in pyproject.toml.  The library is loaded by ctypes and knows nothing of Python, so
one wheel serves every version of it on a platform.  Without a compiler the wheel is for any
platform, and runs on NumPy, several times slower.
"""

from __future__ import annotations

import sys
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

NATIVE = Path("eic_core", "engine", "native")


class BuildWithEngine(build_py):
    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return  # a checkout compiles its own, `make run`
        folder = Path(self.build_lib) / NATIVE
        for old in folder.glob("kernel-*"):
            if old.suffix in (".so", ".dll", ".dylib"):
                old.unlink()
        sys.path.insert(0, str(Path(__file__).parent))
        try:
            from eic_core.engine.native.build import build

            build(folder)
        except (ImportError, OSError) as error:
            self.warn(f"the wheel has no compiled engine: {error}")
        finally:
            sys.path.pop(0)


class WheelOfPlatform(bdist_wheel):
    def get_tag(self) -> tuple[str, str, str]:
        engines = any((Path(self.bdist_dir) / NATIVE).glob("kernel-*.so"))
        return ("py3", "none", super().get_tag()[2] if engines else "any")


class Platform(Distribution):
    def has_ext_modules(self) -> bool:
        return True


setup(distclass=Platform, cmdclass={"build_py": BuildWithEngine, "bdist_wheel": WheelOfPlatform})
