"""Takes all there is of something."""

import mmap
import os
import sys
import tempfile
import threading
import time


def memory(n: int) -> int:
    return len(bytearray(8 << 30)) if n > 0 else 0


def shared_memory(n: int) -> int:
    for number in range(n > 0 and 12):
        with open(f"/dev/shm/{number}", "wb") as file:
            file.write(bytes(64 << 20))
    return n


def memory_in_view_of_no_process(n: int) -> int:
    for _ in range(n > 0 and 8):
        if os.fork() == 0:
            block = mmap.mmap(-1, 900 << 20)
            for page in range(0, len(block), 4096):
                block[page] = 1
            block.madvise(mmap.MADV_DONTNEED)
            time.sleep(60)
    return n


def disk(n: int) -> int:
    for number in range(n > 0 and 20):
        with open(f"large{number}", "wb") as file:
            file.write(bytes(200 << 20))
    return n


def deleted_files(n: int) -> int:
    held = [tempfile.TemporaryFile(dir=".") for _ in range(n > 0 and 12)]
    for file in held:
        file.write(bytes(120 << 20))
    return n


def deep_folders(n: int) -> int:
    for _ in range(n > 0 and 400):
        os.mkdir("deep")
        os.chdir("deep")
    return n


def processes(n: int) -> int:
    while n > 0:
        os.fork()
    return n


def threads(n: int) -> int:
    for _ in range(n > 0 and 3000):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    return n


def processor(n: int) -> int:
    while n > 0:
        pass
    return n


def numbers(n: int) -> int:
    return len(str(7 ** (10**7))) if n > 0 else 0


def daemon(n: int) -> int:
    """Leaves its session, its parent and its name behind."""
    if n > 0 and os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(600)", "testwright-hostile-daemon"])
        os._exit(0)
    return n
