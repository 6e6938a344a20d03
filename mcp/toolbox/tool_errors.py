"""Turns whatever a tool raises into an error that its caller can read and act on."""

from __future__ import annotations

import errno
import logging

from ...core.errors import StoreFull, TestwrightError, ToolFailure, ToolInputError

_LOG = logging.getLogger(__name__)
_SHORTEN = "give less of it, or a smaller file"
_OF_THE_PATH = (errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL, errno.ENOENT, errno.ENOTDIR, errno.EISDIR)


def as_typed(error: Exception, tool: str) -> TestwrightError:
    """Returns an error of ours as it is, and others typed; defects of ours are logged with their traceback."""
    if isinstance(error, TestwrightError):
        return error
    if isinstance(error, RecursionError):
        return ToolInputError(f"{tool} was given something nested too deeply", advice="give it with fewer levels")
    if isinstance(error, MemoryError):
        return ToolInputError(f"{tool} was given more than fits into memory", advice=_SHORTEN)
    if isinstance(error, OSError):
        reason = error.strerror or type(error).__name__
        if error.errno == errno.ENOSPC:
            return StoreFull(f"{tool} found no space left", advice="make room on the disk, then call again")
        if error.errno in _OF_THE_PATH:
            return ToolInputError(f"{tool} was given a path that cannot be used: {reason}", advice="give another path")
        return ToolFailure(f"{tool} could not read or write a file: {reason}", advice="mend that, then call again")
    # Python refuses to convert whole numbers of thousands of digits.
    if isinstance(error, ValueError) and "integer string conversion" in str(error):
        return ToolInputError(f"{tool} was given a number with too many digits", advice="give a smaller number")
    _LOG.error("the tool %s failed", tool, exc_info=error)
    return ToolFailure(
        f"{tool} failed: a fault of testwright's own ({type(error).__name__})",
        advice="other arguments may work; please report it, the server's log has the traceback",
        details={"defect": True},
    )
