# SPDX-License-Identifier: BSD-2-Clause
"""Progress points and spans of Python programs, for the causal profiler Lever.

    import lever

    with lever.span("request"):      # how long does a request take?
        answer(request)
    lever.progress("requests")       # one unit of work is done

    $ sudo lever run -- python3 server.py

One file without dependencies, for CPython from 3.8: copy it, or put its folder on the path. It loads
liblever.so.1: the file that LEVER_LIBRARY names, else where the dynamic linker looks. Without the library all
functions do nothing, and `missing` says why. While nothing is measured, no C code is called.
"""
import ctypes
import os

missing = None

try:
    _library = ctypes.CDLL(os.environ.get("LEVER_LIBRARY", "liblever.so.1"))
    _library.lever_listening_word.restype = ctypes.c_void_p
    _library.lever_id.argtypes = [ctypes.c_char_p]
    for _name in ("lever_progress", "lever_begin", "lever_end", "lever_instant"):
        getattr(_library, _name).argtypes = [ctypes.c_uint32]
        getattr(_library, _name).restype = None
    _library.lever_counter.argtypes = [ctypes.c_uint32, ctypes.c_int64]
    _library.lever_counter.restype = None
    # Reading it is faster than a call of C.
    _listening = memoryview((ctypes.c_uint32 * 1).from_address(_library.lever_listening_word())).cast("B").cast("I")
except (OSError, AttributeError) as _error:
    missing = str(_error)
    _listening = (0,)

_ids = {}


def _id(name):
    found = _ids.get(name)
    if found is None:
        found = _ids[name] = _library.lever_id(name.encode())
    return found


def progress(name):
    """One unit of work is done."""
    if _listening[0]:
        _library.lever_progress(_id(name))


def begin(name):
    """A piece of work begins; it ends in this thread or another."""
    if _listening[0]:
        _library.lever_begin(_id(name))


def end(name):
    """A piece of work ends."""
    if _listening[0]:
        _library.lever_end(_id(name))


def counter(name, value):
    """A whole number, as a curve on the timeline of `lever trace`."""
    if _listening[0]:
        _library.lever_counter(_id(name), value)


def instant(name):
    """A moment on the timeline of `lever trace`."""
    if _listening[0]:
        _library.lever_instant(_id(name))


class span:  # pylint: disable=invalid-name
    """A piece of work from the begin of a `with` block to its end, or of a function that it decorates."""
    __slots__ = ("name",)

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        begin(self.name)

    def __exit__(self, *error):
        end(self.name)

    def __call__(self, function):
        def wrapped(*words, **named):
            with self:
                return function(*words, **named)
        wrapped.__name__, wrapped.__doc__, wrapped.__wrapped__ = function.__name__, function.__doc__, function
        return wrapped
