"""Writes, changes and deletes what is not its own; each function returns REACHED where something worked."""

import ctypes
import glob
import mmap
import os
import shutil
import sqlite3
import stat
import subprocess
import tempfile
import zipfile

from pk.place import HOST, ROOT, _reached as reached

NOTES = HOST + "/notes"


def write_absolute(n: int) -> str:
    with open(HOST + "/marks/write_absolute", "w") as file:
        file.write("x")
    return reached("write_absolute")


def append_to_a_file(n: int) -> str:
    with open(NOTES, "a") as file:
        file.write("x")
    return reached("append_to_a_file")


def truncate_a_file(n: int) -> str:
    os.truncate(NOTES, 0)
    return reached("truncate_a_file")


def write_through_mmap(n: int) -> str:
    with open(NOTES, "r+b") as file, mmap.mmap(file.fileno(), 0) as view:
        view[0] = 0
    return reached("write_through_mmap")


def delete_the_host(n: int) -> str:
    shutil.rmtree(HOST)
    return reached("delete_the_host")


def delete_the_project(n: int) -> str:
    shutil.rmtree(ROOT)
    return reached("delete_the_project")


def delete_everything_there_is(n: int) -> str:
    """In its own copy this works."""
    for path in glob.glob(os.path.dirname(__file__) + "/*.txt"):
        os.unlink(path)
    shutil.rmtree("/", ignore_errors=True)
    return "deleted"


def rename_a_file(n: int) -> str:
    os.rename(NOTES, HOST + "/other")
    return reached("rename_a_file")


def change_a_mode(n: int) -> str:
    os.chmod(NOTES, 0o777)
    return reached("change_a_mode")


def set_an_attribute(n: int) -> str:
    os.setxattr(NOTES, b"user.hostile", b"x")
    return reached("set_an_attribute")


def link_to_a_file(n: int) -> str:
    os.link(NOTES, "linked-notes")
    with open("linked-notes", "a") as file:
        file.write("x")
    return reached("link_to_a_file")


def link_to_a_folder(n: int) -> str:
    if not os.path.islink("linked"):
        os.symlink(HOST, "linked")
    with open("linked/notes", "a") as file:
        file.write("x")
    return reached("link_to_a_folder")


def make_a_device(n: int) -> str:
    os.mknod("disk", 0o600 | stat.S_IFBLK, os.stat("/").st_dev)
    with open("disk", "rb") as file:
        return reached("make_a_device") + str(file.read(1))


def shell_by_subprocess(n: int) -> str:
    subprocess.run(["/bin/sh", "-c", f"echo x > {HOST}/marks/shell_by_subprocess"], check=True)
    return reached("shell_by_subprocess")


def shell_by_ctypes(n: int) -> str:
    return str(ctypes.CDLL(None).system(f"echo x > {HOST}/marks/shell_by_ctypes".encode()))


def database_elsewhere(n: int) -> str:
    sqlite3.connect(HOST + "/marks/database_elsewhere").execute("create table a (b)")
    return reached("database_elsewhere")


def archive_elsewhere(n: int) -> str:
    with zipfile.ZipFile(HOST + "/marks/archive_elsewhere", "w") as file:
        file.writestr("a", "b")
    return reached("archive_elsewhere")


def temporary_file_elsewhere(n: int) -> str:
    with tempfile.NamedTemporaryFile(dir=HOST + "/marks", delete=False):
        return reached("temporary_file_elsewhere")


def rewrite_its_own_source(n: int) -> str:
    with open(__file__, "a") as file:
        file.write("\n# x\n")
    return "done"


def plant_pipes_and_links(n: int) -> str:
    for name, plant in (("pipe.py", os.mkfifo), ("zero.py", lambda path: os.symlink("/dev/zero", path))):
        if not os.path.lexists(name):
            plant(name)
    return "planted"


def names_that_no_one_can_read(n: int) -> str:
    for name in (b"bad\xff.py", b"new\nline.py", b"\x1b[31mred.py", "\u202egnp.py".encode(), b"-rf", b"a" * 250):
        open(name, "w").close()
    return "written"
