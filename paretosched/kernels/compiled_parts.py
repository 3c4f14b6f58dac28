"""What only other kernels call: kept as LLVM's instructions, and made machine code where a kernel that Python calls is.

numba makes each function machine code together with all that it calls, and all of that again for each of its callers:
a deep tree of kernels was optimised once for each of its levels. A part is not: whoever calls it takes its instructions
and those of its own parts, and the kernel that Python calls optimises all of them, once.
"""

from typing import Any

import llvmlite.binding as llvm
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

ENVIRONMENT = "_ZN08NumbaEnv"  # how numba's names of these variables begin


class PartLibrary(JITCodeLibrary):
    """The instructions of one function for its types, with those of all that it calls."""

    def finalize(self) -> None:
        """Take in what the function calls; numba would also optimise all of it and make machine code.

        Only the variables in which numba keeps the environments of these functions come to be, as they would have.
        """
        for library in dict.fromkeys(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True
        self._get_module_for_linking()  # keeps the instructions
        variables = [str(v) for v in self._final_module.global_variables if v.name.startswith(ENVIRONMENT)]
        empty = str(self._codegen._create_empty_module(self.name))
        self._final_module = llvm.parse_assembly("\n".join([empty, *variables]))
        self._finalize_final_module()


class PartCompiler(Compiler):
    """numba's compiler, which puts what it compiles into a `PartLibrary`."""

    def define_pipelines(self) -> list[Any]:
        """Return the steps of numba's compiler."""
        self.state.library = PartLibrary(self.state.targetctx.codegen(), "part")
        self.state.library.enable_object_caching()
        steps: list[Any] = super().define_pipelines()
        return steps


__all__ = ["PartCompiler"]
