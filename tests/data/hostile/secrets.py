"""Looks for what is none of its business; the planted secret must appear nowhere."""

import glob
import os
import subprocess
import sys

from pk.place import HOST, SECRET_BEGINS, _reached as reached

SELF = os.getpid()


def _text(path: str) -> str:
    with open(path, "rb") as file:
        return file.read(100_000).decode("latin-1")


def a_file_of_the_user(n: int) -> str:
    return _text(HOST + "/secret")


def a_key_in_the_home(n: int) -> str:
    return _text(HOST + "/home/.ssh/id_rsa")


def the_home_as_it_is_called(n: int) -> str:
    return "".join(_text(path) for path in glob.glob(os.path.expanduser("~/.*rc")) + glob.glob("/root/.ssh/*"))


def the_environment(n: int) -> str:
    return str([value for value in os.environ.values() if SECRET_BEGINS in value])


def environments_of_processes(n: int) -> str:
    texts = [_text(path) for path in glob.glob("/proc/[0-9]*/environ") if os.access(path, os.R_OK)]
    return str([text for text in texts if SECRET_BEGINS in text])


def command_lines_of_processes(n: int) -> str:
    found = [_text(path) for path in glob.glob("/proc/[0-9]*/cmdline")]
    return str([text for text in found if "testwright" in text and "main" in text and reached("command_lines")])


def the_root_of_another_process(n: int) -> str:
    return "".join(_text(path) for path in glob.glob(f"/proc/[0-9]*/root{HOST}/secret"))


def the_working_folder_of_another_process(n: int) -> str:
    return "".join(_text(path) for path in glob.glob("/proc/[0-9]*/cwd/../host/secret"))


def descriptors_left_open(n: int) -> str:
    found = []
    for path in glob.glob("/proc/self/fd/*"):
        target = os.readlink(path) if os.path.islink(path) else ""
        if target.startswith(HOST):
            found.append(reached("descriptors_left_open"))
    return str(found)


def passwords_of_the_machine(n: int) -> str:
    return reached("passwords") if ":$" in _text("/etc/shadow") else "none"


def the_identity_of_the_machine(n: int) -> str:
    return reached("machine_id") + str(len(_text("/etc/machine-id")))


def keys_of_the_kernel(n: int) -> str:
    return reached("keys") if "hostile" in _text("/proc/keys") else "none"


def messages_of_the_kernel(n: int) -> str:
    return reached("dmesg") if subprocess.run(["dmesg"], capture_output=True).stdout else "none"


def control_groups(n: int) -> str:
    return str([reached("cgroup") for path in glob.glob("/sys/fs/cgroup/*")])


def mounts_of_the_host(n: int) -> str:
    return reached("mounts") if HOST in _text("/proc/mounts") else "none"


def configuration_of_git(n: int) -> str:
    return subprocess.run(["git", "config", "--list"], capture_output=True, check=True).stdout.decode()


def modules_of_testwright(n: int) -> str:
    return str([reached(name) for name in sys.modules if name.partition(".")[0] == "testwright"])
